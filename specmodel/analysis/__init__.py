"""Questions that take several searches, or none: one module for each, without any output."""
