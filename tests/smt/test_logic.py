"""What z3 is trusted with."""

from __future__ import annotations

from itertools import combinations

from specmodel.smt.logic import Answer, Logic


def test_a_solver_that_was_cut_short_is_renewed() -> None:
    """Its assertions are kept, those of scopes left are gone, and answers are right again."""
    logic = Logic()
    solver = logic.solver("QF_FD")
    x, y = logic.bool_variable("x"), logic.bool_variable("y")
    solver.add(logic.either([x, y]))
    solver.push()
    # Eleven pigeons in ten holes: cannot be met, which takes a solver of this kind very long.
    holes = [[logic.bool_variable(f"p{p} {h}") for h in range(10)] for p in range(11)]
    solver.add(*(logic.either(hole) for hole in holes))
    for one, other in combinations(holes, 2):
        pairs = zip(one, other, strict=True)
        solver.add(*(logic.negate(logic.both([a, b])) for a, b in pairs))
    assert solver.check(timeout=0.01) is Answer.UNKNOWN
    solver.pop()
    solver.renew()
    assert solver.check([logic.negate(x)]) is Answer.SAT
    assert solver.check([logic.negate(x), logic.negate(y)]) is Answer.UNSAT
