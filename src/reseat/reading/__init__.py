"""One way in for what users give: a file, a folder or the standard input."""
