"""What z3 is trusted with."""

from __future__ import annotations

import signal
import threading
from itertools import combinations
from pathlib import Path
from typing import Any, NoReturn

import pytest
import z3

from specmodel import check
from specmodel.proof.questions import Questions
from specmodel.results import Progress
from specmodel.smt.encoding import Encoding
from specmodel.smt.logic import Answer, Logic
from tests.engines.test_limits import GRID
from tests.written import written


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


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set once z3 has been told to stop."""
    event = threading.Event()
    monkeypatch.setattr(Logic, "interrupt", lambda self: event.set())
    return event


def test_z3_need_not_be_answering_when_it_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, heard: threading.Event
) -> None:
    """Ctrl-C while a formula is made, which z3 then refuses to, is the end and no failure."""

    def refused(encoding: Encoding, depth: int) -> NoReturn:
        assert heard.wait(60)
        raise z3.Z3Exception(b"canceled")

    def interrupt(progress: Progress) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(Encoding, "step", refused)
    found = check(written(tmp_path, GRID), engine="smt", progress=interrupt)
    assert (found.verdict, found.stopped) == ("incomplete", "interrupted")


def test_nor_when_a_proof_is_interrupted(heard: threading.Event) -> None:
    """The same of the questions of a proof."""
    questions = Questions(Logic(), None, None)

    def refused() -> NoReturn:
        assert heard.wait(60)
        raise z3.Z3Exception(b"canceled")

    def interrupt() -> NoReturn:
        raise KeyboardInterrupt

    questions.run(refused, interrupt)
    assert questions.stopped == "interrupted"


def test_an_interrupt_that_comes_late_changes_no_term() -> None:
    """A search that is over may be told to stop once more: terms are worked out all the same."""
    logic = Logic()
    seven = logic.bits(3, 8) + logic.bits(4, 8)
    logic.interrupt()
    assert logic.number(seven) == 7
    logic.interrupt()
    assert logic.truth(seven == logic.bits(7, 8))


def test_a_context_is_whole_or_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while z3 makes one is heard after that: z3 complains of half a one on stderr."""
    make, made = z3.Context, list[Any]()

    def interrupted() -> Any:
        signal.raise_signal(signal.SIGINT)
        made.append(make())
        return made[0]

    monkeypatch.setattr(z3, "Context", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Logic()
    assert len(made) == 1
