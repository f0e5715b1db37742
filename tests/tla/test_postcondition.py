"""A POSTCONDITION is about the figures of a whole search. TLC's verdicts are the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from specmodel.behaviour.steps import Interpreter
from specmodel.options import Options
from specmodel.tla.checking import check_module
from specmodel.tla.loading import load_module
from tests.conftest import Specmodel

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

MODULE = """---- MODULE P ----
EXTENDS Integers, TLC, CSV
VARIABLE x
Init == x = 0
Next == x < 3 /\\ x' = x + 1
Inv == x < 9
Figures == LET seen == TLCGet("stats") IN
    /\\ TLCGet("distinct") = 4 /\\ TLCGet("generated") = 4 /\\ TLCGet("diameter") = 4
    /\\ TLCGet("queue") = 0 /\\ TLCGet("level") = 0 /\\ seen.distinct = 4 /\\ seen.diameter = 4
Few == TLCGet("distinct") < 4
Wrong == TLCGet("nope") = 5
Number == TLCGet("distinct")
State == x = 5
Diameter == TLCGet("diameter") < 9
Below(most) == \\A found \\in {TLCGet("distinct")} : found < most
FewPassed == Below(4)
Written == Few \\/ CSVWrite("%1$s", <<1>>, "figures.csv")
====
"""


def configured(folder: Path, post: str, invariant: str = "Inv") -> Path:
    (folder / "P.tla").write_text(MODULE)
    (folder / "P.cfg").write_text(
        f"INIT Init\nNEXT Next\nINVARIANT {invariant}\nPOSTCONDITION {post}\nCHECK_DEADLOCK FALSE\n"
    )
    return folder / "P.tla"


def test_verdicts(tmp_path: Path, specmodel: Specmodel) -> None:
    """True, false, and not decided where the search is not complete."""
    ran = specmodel("check", configured(tmp_path, "Figures"))
    assert (ran.code, "Figures  postcondition  holds" in ran.out) == (0, True)
    ran = specmodel("check", configured(tmp_path, "Few"))
    assert (ran.code, "Few  postcondition  violated" in ran.out) == (1, True)
    ran = specmodel("check", configured(tmp_path, "Few"), "--max-depth", 2)
    assert (ran.code, "Few  postcondition  not decided" in ran.out) == (3, True)


def test_one_that_is_not_followed(tmp_path: Path, specmodel: Specmodel) -> None:
    """All else is checked, the verdict says what is missing, and a note says why."""
    ran = specmodel("check", configured(tmp_path, "Written"))
    assert (ran.code, "Written  postcondition  not decided" in ran.out) == (3, True)
    assert "all states were searched; not all properties are decided" in ran.out
    assert "Written is not decided: CSVWrite: input and output are not supported" in ran.err
    path = configured(tmp_path, "Written")
    path.write_text(path.read_text().replace("Inv == x < 9", "Inv == x < 2"))
    assert specmodel("check", path).code == 1


def test_walks_are_no_whole_search(tmp_path: Path, specmodel: Specmodel) -> None:
    """`simulate` says that it does not evaluate it."""
    ran = specmodel("simulate", configured(tmp_path, "Few"), "--walks", 10)
    assert (ran.code, "the POSTCONDITION Few is evaluated by check alone" in ran.err) == (0, True)


@pytest.mark.parametrize("post", ["Few", "FewPassed"])
def test_each_search_has_its_own_figures(tmp_path: Path, post: str) -> None:
    """What was evaluated for one search is not kept for the next."""
    design = load_module(configured(tmp_path, post))
    assert check_module(design, Options())[post].verdict == "violated"
    interpreter = Interpreter.of(design.spec)
    (start,) = interpreter.initial()
    ((_, second),) = interpreter.successors(start)
    later = replace(design, spec=design.spec.starting_in(second))
    assert check_module(later, Options())[post].verdict == "holds"
    assert check_module(design, Options())[post].verdict == "violated"


def test_questions_about_other_properties_leave_it_out(
    tmp_path: Path, specmodel: Specmodel
) -> None:
    """As `--invariant` and `solve` ask; its expression may have no value for such a search."""
    path = configured(tmp_path, "Wrong")
    assert specmodel("check", path, "--invariant", "Inv").code == 0
    assert specmodel("solve", path, "--reach", "x = 7").code == 1


@pytest.mark.parametrize(
    ("post", "invariant", "said"),
    [
        ("Wrong", "Inv", 'P.tla:11:10: Wrong: TLCGet has no "nope" here'),
        ("Number", "Inv", "Number: 4 is neither TRUE nor FALSE"),
        ("State", "Inv", "State is not a constant"),
        ("Nothing", "Inv", "Nothing"),
        ("Few", "Diameter", 'TLCGet: all but "level" is not supported here'),
    ],
)
def test_refused(
    tmp_path: Path, specmodel: Specmodel, post: str, invariant: str, said: str
) -> None:
    """With the place; in an invariant, TLCGet has no figures, also if a POSTCONDITION has them."""
    ran = specmodel("check", configured(tmp_path, post, invariant))
    assert ran.code == 2
    assert said in ran.err
