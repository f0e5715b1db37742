"""The explorer in the browser: a trace to be read, a model to be driven, one file to be shared."""
