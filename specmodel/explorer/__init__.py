"""The explorer in the browser: reading a trace, driving a model, and one file to share."""
