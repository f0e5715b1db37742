"""Random walks as data: the tables that a simulation leaves in a folder, and reading them."""
