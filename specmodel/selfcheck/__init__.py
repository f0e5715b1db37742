"""Each run compares a sample of its states with CPython: compiled code against the spec itself."""
