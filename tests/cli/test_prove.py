"""`specmodel prove`: reports, exit codes, wrong use, Ctrl-C."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.conftest import Golden, Specmodel

TURNS = "tests/specs/turns.py"
ONE_LEMMA = (
    *("--set", "replicas=2", "--invariant", "commits_in_leaders", "--with", "log_prefixes_match"),
    "--no-search",
)
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Places are shown from there."""
    monkeypatch.chdir(ROOT)


def timeless(text: str) -> str:
    """Times differ from run to run."""
    return re.sub(r"; [\d.]+ s(; longest .*)?", "; TIME", text)


def test_proved(specmodel: Specmodel, golden: Golden) -> None:
    """The verdict says for what, and what was assumed."""
    arguments = ("--invariant", "OneInside", "--with", "only_in_turn")
    ran = specmodel("prove", f"{TURNS}:turns", *arguments)
    assert (ran.code, ran.err) == (0, "")
    golden("prove.txt", timeless(ran.out))
    assert "assuming nothing else" in ran.out
    assumed = specmodel(
        "prove", f"{TURNS}:turns", "--alone", *arguments[:2], "--assume", "not-three"
    )
    assert assumed.code == 1
    assert "assuming not_three" in assumed.out


def test_counterexample_to_induction(specmodel: Specmodel, golden: Golden) -> None:
    """States, the step, why the claim is false, and whether it can be reached."""
    ran = specmodel("prove", f"{TURNS}:turns", "--invariant", "one_inside", "--alone")
    assert (ran.code, ran.err) == (1, "")
    golden("prove-failed.txt", timeless(ran.out))
    assert "possibly unreachable" in ran.out
    assert "no such state is reachable" in ran.out


def test_wrong_invariants_and_lemmas(specmodel: Specmodel) -> None:
    """Induction cannot help what is false: that is said apart."""
    goal = specmodel("prove", f"{TURNS}:barging", "--invariant", "one_inside", "--alone")
    assert "No lemma can help: one_inside is violated by a behaviour of 3 states" in goal.out
    lemma = specmodel(
        "prove", f"{TURNS}:barging", "--invariant", "not_three", "--with", "only_in_turn"
    )
    assert "The lemma only_in_turn is wrong" in lemma.out
    quick = specmodel("prove", f"{TURNS}:barging", "--no-search")
    assert "No lemma can help" not in quick.out


def test_found_lemmas_are_python(specmodel: Specmodel) -> None:
    """They can be pasted into the spec."""
    arguments = ("--invariant", "one_inside", "--alone", "--strengthen")
    ran = specmodel("prove", f"{TURNS}:turns", *arguments)
    assert ran.code == 0
    assert "    @invariant\n    def lemma_1(s: Door) -> bool:\n        return all(" in ran.out


def test_json(specmodel: Specmodel) -> None:
    """Every key is in the reference, and traces are ITF."""
    ran = specmodel("prove", f"{TURNS}:barging", "--alone", "--format", "json")
    found = json.loads(ran.out)
    assert (found["version"], found["verdict"], ran.code) == (1, "failed", 1)
    page = (ROOT / "docs" / "reference" / "json-proof.md").read_text()
    for keys in (found, found["obligations"][0], found["reach"]):
        assert all(f"`{key}`" in page for key in keys)
    (failed, *_) = [o for o in found["obligations"] if o["status"] == "failed"]
    assert len(failed["trace"]["states"]) == 2


def test_limits(specmodel: Specmodel) -> None:
    """No answer in time is exit code 3, and says what to try."""
    ran = specmodel("prove", f"{TURNS}:turns", "--timeout", "0.001s")
    assert ran.code == 3
    assert "not decided" in ran.out
    assert "stopped at the time limit" in ran.out
    # All can be proved, so that a claim decided within the limit fails nothing.
    every = ("kip320-proof", "--set", "replicas=2", "--no-search")
    short = specmodel("prove", *every, "--query-timeout", "1ms")
    assert (short.code, "longer --query-timeout" in " ".join(short.out.split())) == (3, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--invariant", "somebody"), "somebody is of kind reachable"),
        (("--with", "not_three", "--alone"), "leave out --with"),
        (("--query-timeout", "soon"), "soon"),
        (("--path", "0"), "--path"),
    ],
)
def test_wrong_use(specmodel: Specmodel, arguments: tuple[str, ...], message: str) -> None:
    """Exit code 2, with what is wrong."""
    ran = specmodel("prove", f"{TURNS}:turns", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
