"""Charts of a study as data, drawn for print and for a browser."""
