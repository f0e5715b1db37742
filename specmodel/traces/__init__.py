"""Traces as files and as text: ITF, the notation of values, their places and changes."""
