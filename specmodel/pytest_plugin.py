"""The pytest plugin: it collects designs' YAML files as tests.

Installing specmodel is enough; `-p no:specmodel` turns it off. Each row that a file expects is a
test, and so is each trace that it lists, and the coverage of its actions. YAML files of other kinds
are left alone. The fixture `conform` plays behaviours of a design to real software. Nothing of
specmodel is imported until a YAML file looks like a design, or a test has the fixture.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from specmodel.conformance.verdicts import ConformanceReport
    from specmodel.regression.running import CaseOutcome
    from specmodel.regression.suites import Case, RunCase
    from specmodel.suite.documents import Document

_LIKE_A_DESIGN = re.compile(r"^\s*[\"']?(design|spec)[\"']?\s*:", re.MULTILINE)


class Unexpected(Exception):  # noqa: N818 - not an error of this program
    """A case that did not end as expected."""

    def __init__(self, outcome: CaseOutcome) -> None:
        super().__init__(outcome.name)
        self.outcome = outcome


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options of this plugin."""
    group = parser.getgroup("specmodel", "designs (specmodel)")
    group.addoption(
        "--specmodel-up-to",
        type=int,
        default=None,
        metavar="N",
        help="skip designs that are expected to have more than N states",
    )


@pytest.fixture
def conform() -> Callable[..., ConformanceReport]:
    """Plays behaviours of a design to real software: `specmodel.assert_conforms`.

    A test whose subjects cannot run on this machine is skipped, with their names.
    """
    from specmodel import api, testing

    def conform(target: Any, binding: Any, /, **arguments: Any) -> ConformanceReport:
        __tracebackhide__ = True
        report = api.conform(target, binding, **arguments)
        if report.skipped and not report.subjects:
            missing = "; ".join(f"{name}: {why}" for name, why in report.skipped.items())
            pytest.skip(f"nothing to play to: {missing}")
        testing.assert_conformed(report)
        return report

    return conform


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collects a design's YAML file; others are not touched."""
    if file_path.suffix not in (".yaml", ".yml"):
        return None
    try:
        text = file_path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    if not all(name in _LIKE_A_DESIGN.findall(text) for name in ("design", "spec")):
        return None
    kind: Any = DesignFile  # pytest's constructors take arguments of any type
    return kind.from_parent(parent, path=file_path)


class DesignFile(pytest.File):
    """The YAML file of a design. Runs are kept, because the coverage case uses them."""

    document: Document
    kept: dict[str, CaseOutcome]

    def collect(self) -> Iterable[pytest.Item]:
        """A test for each case that the file has."""
        from specmodel.errors import SpecmodelError
        from specmodel.regression.suites import cases_of
        from specmodel.suite.documents import read_document

        try:
            self.document = read_document(self.path)
        except SpecmodelError as wrong:
            raise self.CollectError(str(wrong)) from None
        self.kept = {}
        kind: Any = CaseItem
        for case in cases_of(self.document):
            item = kind.from_parent(self, name=case.name)
            item.case, item.file = case, self
            yield item

    def run(self, case: RunCase) -> CaseOutcome:
        """The outcome of a row, computed once in a process."""
        from specmodel.regression.running import run
        from specmodel.testing import workers

        if case.name not in self.kept:
            self.kept[case.name] = run(case, {}, workers=workers())
        return self.kept[case.name]


class CaseItem(pytest.Item):
    """A case of a design's file, as a test."""

    case: Case
    file: DesignFile

    def runtest(self) -> None:
        """Run the case. Raises Unexpected if it did not end as expected."""
        outcome = self._outcome()
        if outcome is None:
            pytest.skip("some run saw only a part, so what never fires is not known")
        if outcome.status != "passed":
            raise Unexpected(outcome)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The differences, with the steps of the counterexample; no Python traceback."""
        if not isinstance(excinfo.value, Unexpected):
            return super().repr_failure(excinfo, style)
        outcome = excinfo.value.outcome
        lines = [f"{outcome.name} {outcome.status}"]
        for problem in outcome.problems:
            lines.append(f"  {problem.text}")
            lines += [f"    {line}" for line in problem.details]
        return "\n".join(lines)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """File, line from 0 and name, for pytest's own reports."""
        return self.path, self.case.place.line - 1, self.name

    def _outcome(self) -> CaseOutcome | None:
        from specmodel.regression.running import covered, run
        from specmodel.regression.suites import CoverageCase, RunCase

        file = self.file
        most: int | None = self.config.getoption("--specmodel-up-to")
        if isinstance(self.case, RunCase):
            if most is not None and self.case.size > most:
                pytest.skip(f"more than {most} states are expected")
            return file.run(self.case)
        if isinstance(self.case, CoverageCase):
            return covered(self.case, self._runs(file, most))
        return run(self.case, {file.document.name: file.document})

    def _runs(self, file: DesignFile, most: int | None) -> Iterator[CaseOutcome]:
        """The runs of the file, the smallest first: often they are enough."""
        from specmodel.regression.suites import RunCase, cases_of

        runs = [c for c in cases_of(file.document) if isinstance(c, RunCase)]
        for case in sorted(runs, key=lambda c: (c.name not in file.kept, c.size)):
            if case.name not in file.kept and most is not None and case.size > most:
                pytest.skip(f"more than {most} states are expected of {case.name}")
            yield file.run(case)
