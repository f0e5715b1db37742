"""Questions that take more than one search, or none: one module a question, nothing printed."""
