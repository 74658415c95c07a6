"""Pages of the report: each module turns the data into the context of templates."""
