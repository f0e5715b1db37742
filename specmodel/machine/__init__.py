"""Machine Python: a small typed subset of Python that is translated to LLVM IR."""
