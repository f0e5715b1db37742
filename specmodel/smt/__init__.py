"""A spec as formulas for Z3: what of the engines and commands that reason is not search."""
