"""One Spark on this machine for all tests of a process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from specmodel.design import Design
from specmodel.engines import spark
from specmodel.engines.spark import session
from specmodel.results import Options, Result

Check = Callable[..., Result]

FIRST = ("test_java.py", "test_session.py")
"""Files whose tests end the Spark that there is: so they come before those that start one."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {name: place for place, name in enumerate(FIRST)}
    items.sort(key=lambda item: places.get(item.path.name, len(FIRST)))


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Spark with two slots, started by the first search and ended after the last test.

    Without its pages, which take a fifth of the time of small searches: by the settings of its own
    that a user has, too. A task is tried twice: what fails for good takes a second each time.
    """
    settings = tmp_path_factory.mktemp("spark")
    (settings / "spark-defaults.conf").write_text(
        f"spark.ui.enabled false\nspark.specmodel.spread 0\nspark.local.dir {settings}\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_CONF_DIR", str(settings))
        patch.setattr(session, "ATTEMPTS", 2)
        yield
    session.stop()


@pytest.fixture
def check(running: None) -> Check:
    """A check by the Spark engine; options by name."""
    return partial(_check, workers=2)


def _check(design: Design, **options: object) -> Result:
    return spark.check(design, Options(**options))  # type: ignore[arg-type]  # by name
