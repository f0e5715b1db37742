"""The self-check: each run compares compiled code with CPython on a sample of its states."""
