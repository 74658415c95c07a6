"""Rules for comparing the values of each field of records, derived from the values themselves."""
