"""One spec: loaded, compared, and how that ended."""

from __future__ import annotations

from specmodel.behaviour.steps import Interpreter
from specmodel.errors import Defect, SpecError, SpecmodelError
from tests.fuzz.engines import compare_engines
from tests.fuzz.loaded import forget, load_text
from tests.fuzz.quick import compare_graphs
from tests.fuzz.verdict import Endless, Verdict, internal, limit, refused

SECONDS = 5.0
"""What the interpreter and the lowering of a small spec may take; whole searches may take more."""


def attempt(
    text: str, seed: int = 0, full: bool = False, smt: bool = False, spark: bool = False
) -> Verdict:
    """How the comparison of a spec ends: of its graphs and, if it is to be full, of searches, those
    of the engines smt and Spark too if they are wanted."""
    try:
        with limit(SECONDS):
            try:
                design = load_text(text)
                if not list(Interpreter(design.spec).initial()):
                    return Verdict("invalid", "no initial state")
            except SpecError as error:  # an action that picks is lowered at once
                if isinstance(error, Defect) or error.span is not None:
                    return refused(error)
                return Verdict("invalid", error.message[:80])
            except (SpecmodelError, RecursionError) as error:
                return Verdict("invalid", str(getattr(error, "message", error))[:80])
            try:
                found = compare_graphs(design.spec, seed)
            except SpecError as error:
                return refused(error)
            except Exception as error:
                return internal(error)
        if found.kind == "agree" and full:
            with limit(12 * SECONDS):
                return compare_engines(design, smt, spark)
        return found
    except Endless:
        return Verdict("endless")
    finally:
        forget()
