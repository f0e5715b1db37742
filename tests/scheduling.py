"""Which tests of a run on several cores belong together.

What is set up for a file is set up once if one process has all of the file, and Spark's Java
machine once if one process has all that uses it. Pages of the documentation have nothing in common
and take longest: they fill up what is left at the end.
"""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling

ON_SPARK = ("tests/engines/spark/", "tests/space/")
APART = ("tests/docs/test_examples.py",)


class Scheduling(LoadScopeScheduling):
    """Gives each process files to do, those with the most tests first."""

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith(ON_SPARK):
            return "on Spark"
        if nodeid.startswith(APART):
            return nodeid
        return nodeid.partition("::")[0]
