"""A spec as formulas for Z3. Engines and commands give the formulas to a solver."""
