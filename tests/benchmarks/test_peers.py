"""The benchmark's peers search the same space as specmodel, and their figures are read rightly."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks import targets
from benchmarks.__main__ import main
from benchmarks.configuration import KNOWN_SPACES, MAIN, SMALLEST, Configuration
from benchmarks.own_engine import OwnEngine, walk_seconds
from benchmarks.own_engine import parse as parse_own
from benchmarks.peers import rumur, spin, tlc
from benchmarks.process import Finished, MeasurementError, NotPresentError, run
from benchmarks.sample import Contender, Sample, Timing

SPIN_OUTPUT = """\
Full statespace search for:
State-vector 28 byte, depth reached 41, errors: 0
   737794 states, stored
  1191360 states, matched
  1929154 transitions (= stored+matched)
        0 atomic steps
pan: elapsed time 0.42 seconds
pan: rate 1756652.4 states/second
"""

RUMUR_OUTPUT = """\
\t 730000 states explored in 11s, with 1897316 rules fired and 13107 states in the queue.
==========================================================================
Status:
\tNo error found.
State Space Explored:
\t737794 states, 1929153 rules fired in 11s.
"""

TLC_OUTPUT = """\
Starting... (2026-11-21 07:11:17)
Progress(12) at 2026-11-21 07:11:18: 1,100 states generated, 600 distinct states found, 90 states left on queue.
Model checking completed. No error has been found.
1819 states generated, 957 distinct states found, 0 states left on queue.
The depth of the complete state graph search is 15.
Finished in 01s at (2026-11-21 07:11:18)
"""  # noqa: E501 - as TLC prints it

TLC_WALKS_OUTPUT = """\
Starting... (2026-11-21 10:16:10)
Computed 1 initial states...
Finished computing initial states: 1 distinct state generated at 2026-11-21 10:16:10.
Progress: 50888 states checked, 3000 traces generated (trace length: mean=15, var(x)=40, sd=6)
The number of states generated: 50888
Finished in 05s at (2026-11-21 10:16:15)
"""

OWN_RESULT = {
    "version": 1,
    "complete": True,
    "verdict": "holds",
    "distinct": 957,
    "generated": 1801,
    "depth": 15,
    "seconds": 0.001,
    "compile_seconds": 0.2,
    "memory": 957 * 24,
}


def finished(output: str) -> Finished:
    """A program that printed `output`, a line a second, and ended after a minute."""
    lines = tuple(output.splitlines())
    return Finished(lines, tuple(float(second) for second in range(len(lines))), 60.0, 1 << 20)


def not_installed(_program: str) -> None:
    """Stands in for `shutil.which` on a machine with no peer."""


def skip_without(*programs: str) -> pytest.MarkDecorator:
    """Skip where one of `programs` is not installed."""
    absent = [program for program in programs if shutil.which(program) is None]
    return pytest.mark.skipif(bool(absent), reason=f"not installed: {', '.join(absent)}")


@skip_without("spin", "gcc")
def test_spin_counts_the_states_of_the_protocol(tmp_path: Path) -> None:
    """A Promela text with another state space would make the ratio to SPIN meaningless."""
    sample = spin.prepare("spin, tuned", SMALLEST, tmp_path)()
    assert (sample.distinct, sample.generated) == (957, 1801)


@skip_without("spin", "gcc")
def test_spin_checks_the_invariants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A peer that skipped the invariants would do less work than specmodel does."""
    unfenced = spin.MODEL.read_text(encoding="utf-8").replace(" && REACHED_EPOCH(l)", "")
    broken = tmp_path / "kip320.pml"
    broken.write_text(unfenced, encoding="utf-8")
    monkeypatch.setattr(spin, "MODEL", broken)
    with pytest.raises(MeasurementError, match="error"):
        spin.prepare("spin, tuned", Configuration(3, 1, 1, 1), tmp_path)()


@skip_without("rumur", "gcc")
def test_rumur_counts_the_states_of_the_protocol(tmp_path: Path) -> None:
    """A Murphi text with another state space would make the ratio to rumur meaningless."""
    sample = rumur.prepare(1, SMALLEST, tmp_path)()
    assert (sample.distinct, sample.generated) == (957, 1801)


@skip_without("rumur", "gcc")
def test_rumur_checks_the_invariants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A peer that skipped the invariants would do less work than specmodel does."""
    unfenced = rumur.MODEL.read_text(encoding="utf-8").replace(" & reached_epoch(l)", "")
    broken = tmp_path / "kip320.m"
    broken.write_text(unfenced, encoding="utf-8")
    monkeypatch.setattr(rumur, "MODEL", broken)
    with pytest.raises(MeasurementError):
        rumur.prepare(1, Configuration(3, 1, 1, 1), tmp_path)()


def test_absent_tools_are_named_with_the_way_to_install_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Someone without the peers must still get a benchmark, and learn what would complete it."""
    monkeypatch.setattr(shutil, "which", not_installed)
    with pytest.raises(NotPresentError, match="apt-get install spin"):
        spin.prepare("spin, plain", SMALLEST, tmp_path)
    with pytest.raises(NotPresentError, match="apt-get install rumur"):
        rumur.prepare(1, SMALLEST, tmp_path)
    with pytest.raises(NotPresentError, match="java"):
        tlc.prepare(None, [], 1, tlc.kip320(SMALLEST), tmp_path)


def test_summaries_of_the_peers_are_read() -> None:
    """The figures come from the final summary, not from a progress line that looks like it."""
    from_spin = spin.parse(finished(SPIN_OUTPUT))
    assert (from_spin.distinct, from_spin.generated) == (737_794, 1_929_154)
    assert from_spin.search_seconds == 0.42
    from_rumur = rumur.parse(finished(RUMUR_OUTPUT))
    assert (from_rumur.distinct, from_rumur.generated) == (737_794, 1_929_154)
    assert from_rumur.search_seconds == 60.0
    from_tlc = tlc.parse(finished(TLC_OUTPUT))
    assert (from_tlc.distinct, from_tlc.generated, from_tlc.depth) == (957, 1819, 15)
    assert from_tlc.search_seconds == 2.0


@pytest.mark.parametrize(
    ("parse", "output"),
    [
        (spin.parse, SPIN_OUTPUT.replace("errors: 0", "errors: 1")),
        (spin.parse, SPIN_OUTPUT + "error: max search depth too small\n"),
        (spin.parse, "pan: out of memory\n"),
        (rumur.parse, RUMUR_OUTPUT.replace("No error found", "1 error(s) found")),
        (tlc.parse, TLC_OUTPUT.replace("completed. No error has been found", "stopped")),
        (tlc.parse, TLC_OUTPUT.replace("found, 0 states left", "found, 7 states left")),
        (parse_own, json.dumps({**OWN_RESULT, "complete": False})),
        (parse_own, json.dumps({**OWN_RESULT, "verdict": "violated"})),
        (parse_own, json.dumps({"version": 1})),
        (parse_own, "Traceback"),
    ],
)
def test_a_search_that_is_not_whole_is_no_figure(
    parse: Callable[[Finished], Sample], output: str
) -> None:
    """A search that stopped early is fast for a bad reason and must not enter the table."""
    with pytest.raises(MeasurementError):
        parse(finished(output))


def test_walks_are_read() -> None:
    """A rate of walks is over the walks alone; walks that ended otherwise are no figure."""
    seconds = tlc.parse_walks(finished(TLC_WALKS_OUTPUT))
    assert seconds == pytest.approx(2.0 / 50888 * 1e6)
    for wrong in ("The number of states generated: 0", "Error: Invariant WeakIsr is violated."):
        output = TLC_WALKS_OUTPUT.replace("The number of states generated: 50888", wrong)
        with pytest.raises(MeasurementError):
            tlc.parse_walks(finished(output))


@pytest.mark.parametrize(
    ("report", "seconds"),
    [
        ({"verdict": "incomplete", "walks": 9, "steps": 1000, "seconds": 0.5}, 500.0),
        ({"verdict": "violated", "walks": 9, "steps": 1000, "seconds": 0.5}, None),
        ({"verdict": "incomplete", "walks": 8, "steps": 1000, "seconds": 0.5}, None),
        ({"verdict": "incomplete"}, None),
    ],
)
def test_own_walks_are_read(
    tmp_path: Path, report: dict[str, object], seconds: float | None
) -> None:
    """All walks asked for, and nothing violated, or it is no figure."""
    command = [sys.executable, "-c", f"print({json.dumps(report)!r})"]
    if seconds is not None:
        assert walk_seconds(command, tmp_path, 9, MAIN) == seconds
        return
    with pytest.raises(MeasurementError):
        walk_seconds(command, tmp_path, 9, MAIN)


def test_tlc_configuration_has_the_constants_and_both_invariants() -> None:
    """TLC must search what the others search, and no more."""
    text = tlc.kip320(Configuration(3, 2, 4, 1)).settings
    assert "Replicas = {r1, r2, r3}\n" in text
    assert "LogSize = 2\n" in text
    assert "MaxRecords = 4\n" in text
    assert "MaxLeaderEpoch = 1\n" in text
    assert "WeakIsr StrongIsr" in text


def test_rumur_model_takes_every_constant() -> None:
    """A constant left at its default would measure another configuration silently."""
    text = rumur.model_text(Configuration(4, 3, 5, 6))
    for line in ("REPLICAS: 4;", "LOG_SIZE: 3;", "MAX_RECORDS: 5;", "MAX_LEADER_EPOCH: 6;"):
        assert f"  {line}\n" in text


def test_a_failing_program_is_reported_with_its_own_words() -> None:
    """The message of the program that failed is what helps."""
    with pytest.raises(MeasurementError, match=r"exit code 3: .*no memory left"):
        run([sys.executable, "-c", "import sys; sys.stderr.write('no memory left'); sys.exit(3)"])


def test_own_result_is_read_and_the_cache_emptied(tmp_path: Path) -> None:
    """A first run must not find the kernel of the run before it."""
    program = (
        "import os, pathlib; cache = pathlib.Path(os.environ['SPECMODEL_CACHE']);"
        "cache.mkdir(exist_ok=True); held = len(list(cache.iterdir()));"
        f"(cache / 'kernel').touch(); print({json.dumps(OWN_RESULT)!r}"
        ".replace('1801', str(held)))"
    )
    own = OwnEngine([sys.executable, "-c", program], "native", 1, tmp_path / "cache")
    empty = own.prepare_empty(SMALLEST)
    assert [empty().generated, empty().generated] == [0, 0]
    assert own.prepare_filled(SMALLEST)().generated == 1


@pytest.mark.parametrize(
    ("distinct", "depth", "message"),
    [(956, 15, "956 distinct states, not 957"), (957, 16, "depth 16, not 15")],
)
def test_another_state_space_is_refused(distinct: int, depth: int, message: str) -> None:
    """A checker that loses states would look fast."""
    sample = Sample(distinct, 1801, depth, 0.1, 0.2, 1 << 20)
    with pytest.raises(MeasurementError, match=message):
        Contender("lossy", SMALLEST, 1, lambda: sample, 1).take()


def searched(name: str, seconds: float) -> Contender:
    """A contender measured once on the main configuration."""
    sample = Sample(KNOWN_SPACES[MAIN].distinct, 1, 26, seconds, seconds + 0.5, 1 << 20)
    contender = Contender(name, MAIN, 1, lambda: sample, 1)
    contender.take()
    return contender


def test_targets_compare_with_the_fastest_build_of_spin() -> None:
    """Comparing with a slow build of SPIN would flatter specmodel."""
    contenders = [
        searched("spin, plain", 0.9),
        searched("spin, tuned", 0.4),
        searched(targets.NATIVE_1, 0.2),
        searched(targets.FILLED_CACHE, 1.5),
    ]
    timing = Timing(targets.HELP, lambda: 0.25, 1)
    timing.take()
    lines = {
        line.what: line for line in targets.compare(targets.Measurements(contenders, [timing]))
    }
    against_spin = lines[f"best SPIN / ours, 1 core, {MAIN}"]
    assert against_spin.measured == 2.0
    assert against_spin.verdict == "missed"
    assert lines[targets.HELP].verdict == "met"
    assert lines["check kip320, whole process, filled cache"].verdict == "missed"
    assert lines[f"TLC / ours, 2 workers, {MAIN}"].verdict == "not measured"


def test_a_run_without_peers_still_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Missing peers are said, in text and JSON, and are no failure."""
    monkeypatch.setattr(shutil, "which", not_installed)
    file = tmp_path / "figures.json"
    assert main(["--only", "peers", "--json", str(file)]) == 0
    assert "not present, left out: spin: apt-get install spin gcc" in capsys.readouterr().out
    assert len(json.loads(file.read_text(encoding="utf-8"))["not_present"]) == 3
