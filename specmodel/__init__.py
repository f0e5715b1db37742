"""specmodel: a model checker and explorer for protocol designs written in Python."""
