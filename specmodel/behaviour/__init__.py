"""What a behaviour of a spec is, as CPython says: steps, failures, orbits, formulas, lassos."""
