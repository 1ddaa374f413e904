"""Charts as data, drawn for print or for a browser."""
