"""The loop of the search over a level, and its memory, in machine Python."""
