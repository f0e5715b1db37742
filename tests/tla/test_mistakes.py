"""Every mistake in a module or a configuration gives a message with its place, and no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from specmodel.analysis.checking import check
from specmodel.errors import SpecError
from specmodel.results import SpecFailure
from specmodel.tla.loading import load_module
from tests.tla.mistakes import CONFIGURATION, CONFIGURATIONS, SYNTAX, UNUSED, VALUES, module

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")


def refusal(folder: Path, text: str, configuration: str = CONFIGURATION) -> SpecError:
    """The error of a check of a module."""
    (folder / "M.tla").write_text(text)
    (folder / "M.cfg").write_text(configuration)
    with pytest.raises(SpecError) as wrong:
        check(load_module(folder / "M.tla"))
    return wrong.value


@pytest.mark.parametrize("name", SYNTAX)
def test_syntax(tmp_path: Path, name: str) -> None:
    """A mistake that needs no search to be found."""
    init, said = SYNTAX[name]
    wrong = refusal(tmp_path, module(init=init))
    assert said in str(wrong)
    assert "M.tla:5:" in str(wrong) and "^" in str(wrong)


@pytest.mark.parametrize("name", UNUSED)
def test_what_no_search_needs(tmp_path: Path, name: str) -> None:
    """A mistake in a definition that nothing uses is one too."""
    more, said = UNUSED[name]
    wrong = str(refusal(tmp_path, module(more=more)))
    assert said in wrong and "^" in wrong


@pytest.mark.parametrize(
    "more",
    [
        "Twice(F(_), a) == F(F(a))\nUsed == Twice(LAMBDA z : z + 1, 1) + Twice(Cardinality, {})",
        "Used == {<<p, q>> \\in {1} \\X {2} : p < q} \\cup {p : p \\in {1}, q \\in {2}}",
        "RECURSIVE One(_), Two(_)\nOne(a) == Two(a)\nTwo(a) == One(a)",
        "Used[a, b \\in 1..2] == IF a = 1 THEN b ELSE Used[1, b]",
        "a ++ b == a + b\nUsed == LET c == 1 ++ 2\n            d(e) == c IN d(1)",
        "At(Most) == INSTANCE Inner\nTakes == INSTANCE Taker WITH Op <- At!Less",
        "Here == INSTANCE Inner WITH Most <- 3\nUsed == Here!Less(1)\n"
        "There(Most) == INSTANCE Inner\nAlso == There(3)!Less(1) /\\ There(x)!Less(2)",
    ],
)
def test_definitions_without_a_mistake(tmp_path: Path, more: str) -> None:
    """Names of all kinds in definitions that nothing uses."""
    (tmp_path / "Inner.tla").write_text(
        "---- MODULE Inner ----\nEXTENDS Naturals\nCONSTANT Most\nLess(a) == a < Most\n====\n"
    )
    (tmp_path / "Taker.tla").write_text(
        "---- MODULE Taker ----\nCONSTANT Op(_, _)\nTaken == Op(1, 2)\n====\n"
    )
    (tmp_path / "M.tla").write_text(module(more=more))
    (tmp_path / "M.cfg").write_text(CONFIGURATION)
    assert check(load_module(tmp_path / "M.tla")).verdict == "holds"


def test_a_name_that_is_defined_below(tmp_path: Path) -> None:
    """A definition sees the names before it; the message does not suggest the name itself."""
    said = str(refusal(tmp_path, module(init="x = Late /\\ y = 0", more="Late == 0")))
    assert "Late is used before it is defined" in said and "did you mean" not in said


@pytest.mark.parametrize("name", VALUES)
def test_values(tmp_path: Path, name: str) -> None:
    """An expression without a value: the failure has a place, and the trace to its state."""
    step, said = VALUES[name]
    wrong = refusal(tmp_path, module(step=step))
    assert isinstance(wrong, SpecFailure)
    assert said in str(wrong)
    assert wrong.trace is not None and wrong.trace.length == 1
    assert "M.tla:6:" in str(wrong) and "^" in str(wrong)


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_configurations(tmp_path: Path, name: str) -> None:
    """A mistake in a configuration, or a name in it that the module does not define."""
    configuration, said = CONFIGURATIONS[name]
    wrong = refusal(tmp_path, module(), configuration)
    assert said in str(wrong)
    assert "^" in str(wrong)


@pytest.mark.parametrize(
    "step", ["Put(1)", "TRUE /\\ Put(1)", "Two(1)", "\\E z \\in {1} : Two(z)", "Both(Put, 1)"]
)
def test_a_wrong_number_of_arguments(tmp_path: Path, step: str) -> None:
    """An action that is put in place of its name, or divided, takes all of its arguments."""
    more = (
        "Put(a, b) == x' = a /\\ y' = b\nTwo(a, b) == Put(a, b) \\/ Put(b, a)\n"
        "Both(F(_, _), a) == F(a)\n"
    )
    text = module(step="Step").replace("Init ==", f"{more}Step == {step}\nInit ==")
    assert "arguments, and is given 1" in str(refusal(tmp_path, text))


@pytest.mark.parametrize("formula", ["x' = 1", "[](x' = 1)"])
@pytest.mark.parametrize("statement", ["SPECIFICATION", "PROPERTY"])
def test_an_action_is_no_formula(tmp_path: Path, statement: str, formula: str) -> None:
    """An action outside of [][A]_v is refused, not passed over as if it were fairness."""
    text = module(more=f"Claim == Init /\\ [][Next]_<<x, y>> /\\ {formula}\n")
    start = "" if statement == "SPECIFICATION" else "INIT Init\nNEXT Next\n"
    names = CONFIGURATION.partition("INIT")[0]
    wrong = refusal(tmp_path, text, f"{names}{start}{statement} Claim\n")
    assert "an action stands where a formula about behaviours" in str(wrong)
    assert "M.tla:7:" in str(wrong)


@pytest.mark.parametrize(
    "fold", ['FoldSet(After, <<>>, {"p", "q"})', "FoldFunction(After, <<>>, [p |-> 1, q |-> 2])"]
)
def test_a_fold_in_the_order_of_names(tmp_path: Path, fold: str) -> None:
    """TLC's order of strings is its own: a fold is refused if it depends on it, and only then."""
    text = module(step=f"x' = {fold} /\\ y' = y").replace(
        "TLC\n", "TLC, FiniteSetsExt, Functions\n"
    )
    text = text.replace("Init ==", "After(v, s) == Append(s, v)\nInit ==")
    assert "depends on the order of strings" in str(refusal(tmp_path, text))
    (tmp_path / "M.tla").write_text(text.replace("Append(s, v)", "Append(s, 0)"))
    assert check(load_module(tmp_path / "M.tla")).verdict == "holds"


REFUSED = {
    "a random choice": "x' = RandomElement({1}) /\\ y' = y",
    "a composition": "(x' = 1 /\\ y' = y) \\cdot (x' = 2 /\\ y' = y)",
    "what the search knows": "x' = TLCGet(\"diameter\") /\\ y' = y",
    "a part of a definition": "Init!1!1!1 /\\ UNCHANGED <<x, y>>",
    "a real number": "x' = 1.5 /\\ y' = y",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_followed_is_refused(tmp_path: Path, name: str) -> None:
    """TLC follows these, and specmodel does not: it says so at their place."""
    assert "not supported" in str(refusal(tmp_path, module(step=REFUSED[name])))


@pytest.mark.parametrize("operator", ["+", "\\/"])
def test_a_long_expression(tmp_path: Path, operator: str) -> None:
    """An expression that a program has written may have more operands than Python's stack takes."""
    items = ["0"] * 1500 if operator == "+" else ["x = 0"] * 1500
    step = f" {operator} ".join(items)
    (tmp_path / "M.tla").write_text(
        module(
            step=f"x' = {step} /\\ y' = y"
            if operator == "+"
            else f"({step}) /\\ UNCHANGED <<x, y>>"
        )
    )
    (tmp_path / "M.cfg").write_text(CONFIGURATION)
    assert check(load_module(tmp_path / "M.tla")).distinct == 1


def test_a_recursion_without_an_end(tmp_path: Path) -> None:
    """It ends with a message, not with the process."""
    more = "RECURSIVE F(_)\nF(n) == F(n + 1) + 1\nInv == F(x) = 0\n"
    text = module(more=more)
    wrong = refusal(tmp_path, text, f"{CONFIGURATION}INVARIANT Inv\n")
    assert "32 bits" in str(wrong) or "too deeply nested" in str(wrong)
