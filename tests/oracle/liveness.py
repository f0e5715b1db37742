"""Has TLC judge the temporal properties of the modules beside this, each formula of fairness apart.

    python -m tests.oracle.liveness CLASSPATH

writes `liveness.json` anew. TLC stops at the first property that fails, so it runs once for each.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "liveness.json"

JAVA = ("java", "-XX:+UseSerialGC", "-Xmx1g")
OPTIONS = ("-deadlock", "-noGenerateSpecTE", "-workers", "1")


@dataclass(frozen=True)
class Module:
    """A module, the constants it takes, and for each formula of fairness the spec that is its."""

    name: str
    file: str
    constants: str
    specs: dict[str, str]
    properties: tuple[str, ...]
    abstract: str = ""
    """The module of the abstract design that it refines."""


MODULES = (
    Module(
        "AlternatingBit",
        "alternating_bit.py",
        "",
        {
            "Unfair": "unfair",
            "Moving": "moving",
            "Talking": "talking",
            "Weak": "weakly",
            "Half": "half",
            "Strong": "strongly",
        },
        (
            "first_arrives",
            "goes_on",
            "both_agree",
            "stands_still",
            "something_is_sent",
            "each_arrives",
            "each_is_sent",
        ),
    ),
    Module(
        "SharedLock",
        "shared_lock.py",
        "CONSTANT Client = {1, 2, 3}",
        {
            "Unfair": "unfair",
            "Releasing": "releasing",
            "Some": "some",
            "Weak": "weakly",
            "SomeStrong": "some_strongly",
            "Strong": "strongly",
            "Patient": "patient",
        },
        ("is_held", "comes_free", "stays_free", "is_decided", "gets_it", "lets_go"),
    ),
    Module(
        "LentLock",
        "lent_lock.py",
        "CONSTANT Client = {1, 2}",
        {
            "Unfair": "unfair",
            "Moving": "moving",
            "Lending": "lending",
            "StrongLending": "strong_lending",
        },
        (
            "steps",
            "weak_release_liveness",
            "weak_acquire_liveness",
            "strong_acquire_liveness",
            "some_acquire_liveness",
            "comes_free_liveness",
            "is_held_liveness",
            "lets_go_liveness",
            "stays_free_liveness",
        ),
        "TakenLock",
    ),
    Module(
        "LossyMail",
        "lossy_mail.py",
        "",
        {
            "Unfair": "unfair",
            "Talking": "talking",
            "Weak": "weakly",
            "Strong": "strongly",
            "Silent": "quiet",
        },
        (
            "steps",
            "weak_get_liveness",
            "strong_get_liveness",
            "weak_send_liveness",
            "strong_send_liveness",
            "arrives_liveness",
            "goes_on_liveness",
            "settles_liveness",
            "begins_liveness",
        ),
        "DirectMail",
    ),
    Module(
        "Minutes",
        "minutes.py",
        "",
        {
            "Unfair": "unfair",
            "Ticking": "ticking",
            "Wound": "wound",
            "Strong": "strongly",
            "Through": "through",
        },
        (
            "steps",
            "weak_pass_liveness",
            "weak_first_liveness",
            "strong_first_liveness",
            "strikes_liveness",
            "rests_liveness",
            "moves_liveness",
            "follows_liveness",
        ),
        "Hours",
    ),
)


def verdict(classpath: str, module: Module, fairness: str, name: str) -> str:
    """What TLC says of a property: holds or violated. Raises RuntimeError for anything else."""
    with tempfile.TemporaryDirectory() as folder:
        for each in filter(None, (module.name, module.abstract)):
            (Path(folder) / f"{each}.tla").write_bytes((HERE / f"{each}.tla").read_bytes())
        config = f"SPECIFICATION {fairness}\nPROPERTY {name}\n{module.constants}\n"
        (Path(folder) / f"{module.name}.cfg").write_text(config, encoding="utf-8")
        ran = subprocess.run(
            [*JAVA, "-cp", classpath, "tlc2.TLC", *OPTIONS, module.name],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    if re.search(r"Temporal propert(y \S+ was|ies were) violated", ran.stdout):
        return "violated"
    if "No error has been found" in ran.stdout:
        return "holds"
    raise RuntimeError(f"TLC says of {name} under {fairness}:\n{ran.stdout}{ran.stderr}")


def judged_by_tlc(classpath: str) -> list[dict[str, str]]:
    """TLC's verdict on every property under every formula of fairness."""
    return [
        {
            "module": module.name,
            "spec": f"{module.file}:{spec}",
            "fairness": fairness,
            "property": name,
            "verdict": verdict(classpath, module, fairness, name),
        }
        for module in MODULES
        for fairness, spec in module.specs.items()
        for name in module.properties
    ]


def main(classpath: str) -> None:
    """Writes the results."""
    lines = ",\n".join(json.dumps(row) for row in judged_by_tlc(classpath))
    RESULTS.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
