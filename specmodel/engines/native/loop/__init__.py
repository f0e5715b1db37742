"""The loop of the search: machine Python for a level, and its memory."""
