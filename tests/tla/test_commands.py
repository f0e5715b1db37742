"""Commands that take a module: walks, sweeps over constants, tests of designs, saved spaces."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Specmodel

pytest.importorskip("tree_sitter_tlaplus", reason="pip install 'specmodel[tla]'")

COUNT = r"""---- MODULE Count ----
EXTENDS Naturals
CONSTANTS Most, Wrap
VARIABLES n, who
Init == n = 0 /\ who = "nobody"
Up(p) == n < Most /\ n' = n + 1 /\ who' = p
Back == Wrap /\ n = Most /\ n' = 0 /\ UNCHANGED who
Next == Back \/ \E p \in {"a", "b"} : Up(p)
Spec == Init /\ [][Next]_<<n, who>> /\ WF_<<n, who>>(Next)
Small == n < 4
Ends == <>(n = Most)
====
"""

CONFIGURATION = """CONSTANTS Most = 3
Wrap = TRUE
SPECIFICATION Spec
INVARIANT Small
PROPERTY Ends
CHECK_DEADLOCK FALSE
"""

DESIGN = """design: count
spec: Count.tla
constants: {{Most: {most}}}
expect:
  verdict: {verdict}
  distinct: {states}
  depth: {depth}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a module."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Count.tla").write_text(COUNT)
    (tmp_path / "Count.cfg").write_text(CONFIGURATION)
    return tmp_path


def test_constants(specmodel: Specmodel) -> None:
    """--set gives a constant another value than the configuration: a number or a truth."""
    ran = specmodel("check", "Count.tla", "-q")
    assert (ran.code, ran.out) == (
        0,
        "Count holds Small, Ends up to Most=3: 9 states, depth 5, complete\n",
    )
    ran = specmodel("check", "Count.tla", "--set", "Most=4", "--set", "Wrap=false", "-q")
    assert ran.code == 1 and "violates Small at Most=4" in ran.out
    ran = specmodel("show", "Count.tla", "--set", "Most=6")
    assert "Most  = 6" in ran.out and "0..6" in ran.out


def test_walks(specmodel: Specmodel) -> None:
    """Walks by compiled code; the trace of a violation is short, and in TLA+'s notation."""
    ran = specmodel(
        "simulate", "Count.tla", "--walks", "40", "--set", "Most=7", "--trace-out", "x.itf.json"
    )
    assert ran.code == 1
    assert 'who  "nobody" → "a"' in ran.out
    assert "Count violates Small at Most=7: counterexample of 5 states" in ran.out
    assert "native" in ran.out and "agree with CPython" in ran.out
    assert "Count allows each of the 4 steps" in specmodel("trace", "x.itf.json").out
    ran = specmodel("simulate", "Count.tla", "--walks", "40", "--format", "json")
    found = json.loads(ran.out)
    assert ran.code == 0 and found["walks"] == 40
    assert set(found["bindings"]) == {"Back()", 'Up(p="a")', 'Up(p="b")'}


def test_walks_of_a_module_with_a_view(specmodel: Specmodel) -> None:
    """A walk tells no states apart. What needs compiled code and does is refused, with the reason,
    and so is a VIEW that is an expression.
    """
    text = Path("Count.tla").read_text().replace("====", "Seen == n\nHalf == n \\div 2\n====")
    Path("Count.tla").write_text(text)
    Path("Count.cfg").write_text(CONFIGURATION.replace("PROPERTY Ends\n", "VIEW Seen\n"))
    ran = specmodel("simulate", "Count.tla", "--walks", "40", "--format", "json")
    assert ran.code == 0 and json.loads(ran.out)["walks"] == 40
    ran = specmodel("profile", "Count.tla")
    what = "Count cannot be compiled, which this needs: "
    assert ran.code == 2
    assert f"{what}VIEW is compiled for check and simulate alone" in ran.err
    Path("Count.cfg").write_text(CONFIGURATION.replace("PROPERTY Ends\n", "VIEW Half\n"))
    ran = specmodel("simulate", "Count.tla")
    assert ran.code == 2
    assert f"{what}a VIEW that is more than some variables is not compiled" in ran.err


def test_a_sweep(specmodel: Specmodel) -> None:
    """Every value of a constant is a search of its own, in processes side by side."""
    ran = specmodel("sweep", "Count.tla", "--vary", "Most=2..5", "--format", "csv", "--jobs", "2")
    assert ran.code == 0
    rows = [line.split(",") for line in ran.out.splitlines()]
    small = [row for row in rows if "Small" in row]
    assert [row[rows[0].index("verdict")] for row in small] == [*["holds"] * 2, *["violated"] * 2]


@pytest.mark.parametrize(
    "words",
    [
        ("ablate",), ("check",), ("counterexamples",), ("coverage",), ("explore",), ("graph",),
        ("profile",), ("prove",), ("show",), ("simulate",),
        ("solve", "--reach", "TRUE"), ("sweep", "--vary", "Most=2..3"),
    ],
    ids=lambda words: words[0],
)  # fmt: skip
def test_another_configuration(specmodel: Specmodel, words: tuple[str, ...]) -> None:
    """Each command that takes one design takes its configuration, and sweep does."""
    Path("Wrong.cfg").write_text("INIT Init\nNEXT Next\n")  # which lacks constants
    ran = specmodel(*words, "Count.tla", "--config", "Wrong.cfg")
    assert ran.code == 2 and "in Wrong.cfg" in ran.err


@pytest.mark.parametrize(
    "words",
    [
        ("explore", "x.itf.json", "--on"), ("graph", "x.itf.json", "--on"),
        ("minimise", "x.itf.json", "--on"), ("replay", "x.itf.json", "--on"),
        ("trace", "x.itf.json", "--design"), ("why", "x.itf.json", "--on"),
    ],
    ids=lambda words: words[0],
)  # fmt: skip
def test_another_configuration_of_a_trace(specmodel: Specmodel, words: tuple[str, ...]) -> None:
    """It is that of the module which is named, and refused without one."""
    assert specmodel("check", "Count.tla", "--set", "Most=5", "--trace-out", "x.itf.json").code == 1
    Path("Wrong.cfg").write_text("INIT Init\nNEXT Next\n")  # which lacks constants
    ran = specmodel(*words, "Count.tla", "--config", "Wrong.cfg")
    assert ran.code == 2 and "in Wrong.cfg" in ran.err
    ran = specmodel(*words[:2], "--config", "Wrong.cfg")
    assert ran.code == 2 and "--config goes with a TLA+ module" in ran.err


def test_sweep_keeps_sets_and_names(specmodel: Specmodel) -> None:
    """Constants that are no numbers keep their values at each point."""
    Path("Kept.tla").write_text(
        "---- MODULE Kept ----\nEXTENDS Integers\nCONSTANTS Nodes, Word, None, Most\nVARIABLE n\n"
        "Init == n \\in Nodes \\cup {None}\nNext == FALSE /\\ n' = n\n"
        'Few == Word = "on" /\\ Most < 3\n====\n'
    )
    Path("Kept.cfg").write_text(
        'CONSTANTS Nodes = {a, b} Word = "on" None = None Most = 1\nINIT Init\nNEXT Next\n'
        "INVARIANT Few\nCHECK_DEADLOCK FALSE\n"
    )
    ran = specmodel("sweep", "Kept.tla", "--vary", "Most=2..3", "--format", "csv", "--jobs", "1")
    assert ran.code == 0, ran.err
    rows = [line.split(",") for line in ran.out.splitlines() if ",Few," in line]
    assert [("holds" in row, "violated" in row) for row in rows] == [(True, False), (False, True)]


def test_a_design_of_a_module(specmodel: Specmodel) -> None:
    """A YAML file names a module, its constants and what is expected; `test` holds it to that."""
    design = Path("count.yaml")
    design.write_text(DESIGN.format(most=5, verdict="violated", states=11, depth=5))
    ran = specmodel("check", "count.yaml", "-q")
    assert ran.code == 1 and "count violates Small at Most=5" in ran.out
    design.write_text(DESIGN.format(most=3, verdict="holds", states=9, depth=5))
    assert specmodel("test", "count.yaml").code == 0
    design.write_text(DESIGN.format(most=3, verdict="holds", states=8, depth=5))
    ran = specmodel("test", "count.yaml")
    assert ran.code == 1 and "9" in ran.out


def test_a_design_is_told_by_its_file(specmodel: Specmodel) -> None:
    """`show` takes it as its module; its trace is run again, whatever kind its constants have."""
    text = COUNT.replace("CONSTANTS Most", "CONSTANTS Names, Most").replace('{"a", "b"}', "Names")
    Path("Count.tla").write_text(text)
    Path("Count.cfg").write_text(f"CONSTANT Names = {{p1, p2}}\n{CONFIGURATION}")
    Path("count.yaml").write_text("design: count\nspec: Count.tla\nconstants: {Most: 5}\n")
    assert "Most   = 5" in specmodel("show", "count.yaml").out
    assert specmodel("check", "count.yaml", "--trace-out", "x.itf.json").code == 1
    assert "count allows each of the 4 steps" in specmodel("trace", "x.itf.json").out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("symmetry: true", "count.yaml:3:"),
        ("lanes: {log: n}", "lanes is not supported for a TLA+ module"),
        ("constants: {Mst: 3}", "count.yaml:3:"),
        ("weights: {Dwn: 3}", 'count has no action "Dwn"'),
    ],
)
def test_a_wrong_design_of_a_module(specmodel: Specmodel, line: str, said: str) -> None:
    """What a module does not take is refused at its place in the file, never passed over."""
    Path("count.yaml").write_text(f"design: count\nspec: Count.tla\n{line}\n")
    ran = specmodel("check", "count.yaml")
    assert ran.code == 2
    assert said in ran.err and "^" in ran.err


def test_a_space_that_is_not_saved(specmodel: Specmodel, folder: Path) -> None:
    """The exit code says so, as for any design."""
    pytest.importorskip("pyarrow")
    (folder / "space").write_text("a file is in the way")
    assert specmodel("check", "Count.tla", "--save-space", "space").code != 0


def test_walks_for_too_short_a_time(specmodel: Specmodel) -> None:
    """The time limit is for finding types and compiling too."""
    ran = specmodel("simulate", "Count.tla", "--time", "1ms")
    assert ran.code == 3
    assert "time limit" in ran.err


def test_a_saved_space(specmodel: Specmodel) -> None:
    """The tables have the variables and the actions by their names."""
    pytest.importorskip("pyarrow")
    assert specmodel("check", "Count.tla", "--save-space", "space").code == 0
    ran = specmodel("stats", "space")
    assert ran.code == 0
    assert "Count at Most=3, Wrap=true" in ran.out and "9 states" in ran.out
    assert "who" in ran.out and "Back" in ran.out


def test_a_checkpoint(specmodel: Specmodel) -> None:
    """A search that reached a limit goes on from its checkpoint."""
    asked = ("check", "Count.tla", "--invariant", "Small", "--checkpoint", "kept", "-q")
    assert specmodel(*asked, "--max-depth", "2").code == 3
    ran = specmodel(*asked, "--resume")
    assert (ran.code, "9 states" in ran.out) == (0, True)


LOCK = r"""---- MODULE {name} ----
EXTENDS FiniteSets, Naturals
CONSTANTS Client
VARIABLES free, holding
Init == free = TRUE /\ holding = {{}}
IsFree(c) == free {fence}
Take(c) ==
    /\ IsFree(c) \* comments and
    /\ free' = FALSE /\ holding' = holding \cup {{c}}
Expire == ~free /\ free' = TRUE /\ UNCHANGED holding
Next == Expire \/ \E c \in Client : Take(c)
Spec == Init /\ [][Next]_<<free, holding>>
Exclusive == Cardinality(holding) <= 1
====
"""


def test_compare(specmodel: Specmodel, folder: Path) -> None:
    """Verdicts side by side, the actions that differ, and a counterexample on the rival."""
    configuration = "SPECIFICATION Spec\nINVARIANT Exclusive\nCONSTANT Client = {c1, c2}\n"
    for name, fence in (("Lease", ""), ("Fenced", r"/\ holding \subseteq {c}")):
        text = LOCK.format(name=name, fence=fence)
        (folder / f"{name}.tla").write_text(text.replace("comments and", f"layout of {name}"))
        (folder / f"{name}.cfg").write_text(f"{configuration}CHECK_DEADLOCK FALSE\n")
    ran = specmodel("compare", "Lease.tla", "Fenced.tla")
    assert ran.code == 0, ran.err
    assert "Lease   ✗ in 4 states" in ran.out and "Fenced  ✓ holds" in ran.out
    told = ran.out.partition("Actions that differ")[2]
    assert "requires free /\\ holding" not in told  # a helper of the same name, as it is written
    assert "Take\n" in told and "the same in all: Expire" in told
    assert "4  Take(c=c2)   Fenced cannot" in told
    assert "stops before state 4 of 4: Take(c=c2)" in told
    found = json.loads(specmodel("compare", "Lease.tla", "Fenced.tla", "--format", "json").out)
    (take,) = [each for each in found["actions"] if each["kind"] == "Take"]
    assert [guard["text"] for guard in take["versions"]["Lease"][0]["guards"]] == ["IsFree(c)"]
    (expire,) = [each for each in found["actions"] if each["kind"] == "Expire"]
    assert [guard["text"] for guard in expire["versions"]["Lease"][0]["guards"]] == ["~free"]


def test_compare_configurations(specmodel: Specmodel, folder: Path) -> None:
    """Two configurations of a module have the names of their files."""
    other = CONFIGURATION.replace("INVARIANT Small", "INVARIANT Tiny")
    (folder / "Other.cfg").write_text(other)
    (folder / "Count.tla").write_text(COUNT.replace("Small ==", "Tiny == n < 3\nSmall =="))
    ran = specmodel("compare", "Count.tla", "Count.tla:Other.cfg")
    assert ran.code == 0, ran.err
    assert "Count:Count.cfg  ✓ holds" in ran.out
    assert "Count:Other.cfg  -" in ran.out
    assert "The actions are the same in all designs." in ran.out
    ran = specmodel("compare", "Count.tla", "Count.tla:Count.cfg")
    assert ran.code == 2 and "given twice" in ran.err
    (folder / "Other.cfg").write_text(other.replace("Most = 3", "Most = 4"))
    ran = specmodel("compare", "Count.tla", "Count.tla:Other.cfg")
    assert ran.code == 2 and "give both the same" in ran.err


FUNCTIONS = r"""---- MODULE Functions ----
EXTENDS Naturals
VARIABLES f, last
Init == f = [x \in {"a", "b"} |-> 0] /\ last = "none"
Up(x) == f[x] < 2 /\ f' = [f EXCEPT ![x] = @ + 1] /\ last' = x
Next == \E x \in {"a", "b"} : Up(x)
====
"""


def test_profile(specmodel: Specmodel, folder: Path) -> None:
    """Parts of functions have the names of their places; of types that are found no advice is
    given."""
    (folder / "Functions.tla").write_text(FUNCTIONS)
    (folder / "Functions.cfg").write_text("INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n")
    states = json.loads(specmodel("check", "Functions.tla", "--format", "json").out)["distinct"]
    found = json.loads(specmodel("profile", "Functions.tla", "--format", "json").out)
    assert found["distinct"] == states == 13
    names = {each["name"]: each for each in found["variables"]}
    assert list(names) == ["f", "f.a", "f.b", "last"] and names["f"]["values"] == 9
    assert found["actions"] == [{"name": "Up", "fired": 16, "without": 1}]
    (advice,) = found["advice"]
    assert advice["about"] == "last" and "never read" in advice["text"]


PAIRS = r"""---- MODULE Pairs ----
EXTENDS Naturals
CONSTANT Most
VARIABLES a, b, log
Init == a = 0 /\ b = 0 /\ log = <<>>
Left(by) == a + by <= Most /\ a' = a + by /\ log' = <<"left", by>> /\ UNCHANGED b
Right == b < Most /\ b' = b + 1 /\ log' = <<"right">> /\ UNCHANGED a
Next == Right \/ \E by \in 1..2 : Left(by)
Spec == Init /\ [][Next]_<<a, b, log>>
Short == a + b < 2
====
"""


def test_counterexamples(specmodel: Specmodel, folder: Path) -> None:
    """They differ in what happens, and their states and steps are those of the module."""
    (folder / "found").mkdir()
    (folder / "Pairs.tla").write_text(PAIRS)
    (folder / "Pairs.cfg").write_text(
        "CONSTANT Most = 2\nSPECIFICATION Spec\nINVARIANT Short\nCHECK_DEADLOCK FALSE\n"
    )
    ran = specmodel("counterexamples", "Pairs.tla", "--format", "json", "--traces", "found")
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    shapes = [each["shape"] for each in found["found"]]
    assert shapes[0] == {"Left": 1} and {"Right": 2} in shapes
    assert found["found"][0]["steps"] == ["Left(by=2)"]
    assert found["needed"] == []
    assert found["graph"]["levels"][0] == [
        {"a": {"#bigint": "0"}, "b": {"#bigint": "0"}, "log": {"#tup": []}}
    ]
    assert [edge["step"] for edge in found["graph"]["edges"]] == ["Left(by=2)"]
    files = sorted((folder / "found").glob("*.itf.json"))
    assert len(files) == len(shapes)
    for file in files:
        assert specmodel("trace", file).code == 0
    ran = specmodel("counterexamples", "Pairs.tla", "--set", "Most=0")
    assert ran.code == 2 and "violates nothing" in ran.err


def test_minimise(specmodel: Specmodel, folder: Path) -> None:
    """A longer trace to a violation becomes one of the shortest."""
    (folder / "found").mkdir()
    (folder / "Pairs.tla").write_text(PAIRS)
    (folder / "Pairs.cfg").write_text(
        "CONSTANT Most = 2\nSPECIFICATION Spec\nINVARIANT Short\nCHECK_DEADLOCK FALSE\n"
    )
    specmodel("counterexamples", "Pairs.tla", "--traces", "found")
    longest = max((folder / "found").glob("*.itf.json"), key=lambda file: file.stat().st_size)
    ran = specmodel("minimise", longest, "--trace-out", "least.itf.json")
    assert ran.code == 0, ran.err
    assert "Left(by=2)" in ran.out and "2 states" in ran.out
    assert (
        "Pairs allows each of the 1 step and Short is violated"
        in specmodel("trace", "least.itf.json").out
    )


BOUNDS = r"""---- MODULE Bounds ----
EXTENDS Naturals
CONSTANT Names
VARIABLES n, who
Few == 1
Init == n = 0 /\ who = "nobody"
Add(by) == n + by <= 3 /\ n' = n + by /\ UNCHANGED who
Be(p) == who' = p /\ UNCHANGED n
Steps == 1..Few
Next == (\E by \in Steps : Add(by)) \/ \E p \in Names : Be(p)
====
"""


@pytest.mark.parametrize(
    ("change", "line", "differing"),
    [
        (("", ""), "", set[str]()),
        (("Few == 1", r"Few == \* not many" + "\n 1"), "", set[str]()),
        (("Steps == 1..Few", "Steps == 1..(Few + 1)"), "", {"Add"}),
        (("Steps : Add(by)", "Steps : Add(by + 1)"), "", {"Add"}),
        (("who' = p", "who' = who"), "", {"Be"}),
        (("", ""), "CONSTANT Few = 2\n", {"Add"}),
        (("", ""), "NAMES", {"Be"}),
    ],
)
def test_what_differs(
    specmodel: Specmodel,
    folder: Path,
    change: tuple[str, str],
    line: str,
    differing: set[str],
) -> None:
    """An action differs with what it comes to: definitions, sets, arguments and constants."""
    names = '{"somebody of a long name", "nobody"}'
    text = f"INIT Init\nNEXT Next\nCONSTANT Names = {names}\n"
    (folder / "Bounds.tla").write_text(BOUNDS)
    (folder / "Bounds.cfg").write_text(text)
    module = BOUNDS.replace("MODULE Bounds", "MODULE Second").replace(*change, 1)
    (folder / "Second.tla").write_text(module)
    other = text.replace("long", "short") if line == "NAMES" else text + line
    (folder / "Second.cfg").write_text(other)
    ran = specmodel("compare", "Bounds.tla", "Second.tla", "--format", "json")
    found = json.loads(ran.out)["actions"]
    assert {each["kind"] for each in found if not each["alike"]} == differing
