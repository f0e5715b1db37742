"""Has TLC check the modules beside this.

    python -m tests.tla.oracle CLASSPATH

writes `tlc.json` anew: for each configuration the verdict, and the numbers of states if all were
searched, or the length of the trace.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

MODULES = Path(__file__).resolve().parent / "modules"
RESULTS = Path(__file__).resolve().parent / "tlc.json"


def configurations() -> list[Path]:
    """The configurations, each of the module whose name is before the first dash."""
    return sorted(MODULES.glob("*.cfg"))


def module_of(configuration: Path) -> Path:
    """The module of a configuration."""
    return MODULES / f"{configuration.stem.partition('-')[0]}.tla"


BEHAVIOURS = MODULES / "Behaviours.tla"
"""A module with a SPECIFICATION for each fairness, and temporal properties."""


def behaviours() -> dict[str, str]:
    """The configurations of all pairs of a specification and a property of that module."""
    definitions = re.findall(r"^(\w+) ==", BEHAVIOURS.read_text(), re.M)
    first, last = definitions.index("Unfair"), definitions.index("Served1")
    named = [name for name in definitions[last:] if name not in ("Small", "Count")]
    found = {
        f"{spec} {name}": f"SPECIFICATION {spec}\nPROPERTY {name}\nCHECK_DEADLOCK FALSE\n"
        for spec in definitions[first:last]
        for name in named
    }
    constrained = (
        *("Weak Ends", "Strong ServedEach", "Strong Begins", "Weak FairTake"),
        *("Whole Settles", "Given FromStart", "Strong Sequence"),
    )
    return found | {f"{key} Small": f"{found[key]}CONSTRAINT Small\n" for key in constrained}


def judged(configuration: Path, classpath: str) -> dict[str, Any]:
    """What TLC says of a configuration."""
    return said_of(module_of(configuration), configuration.read_text(), classpath)


def said_of(module: Path, text: str, classpath: str) -> dict[str, Any]:
    """What TLC says of a module with the text of a configuration."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["java", "-XX:+UseSerialGC", "-cp", classpath, "tlc2.TLC", "-workers", "1"]
        # The version of TLC that was used knows no CHECK_DEADLOCK.
        given = Path(folder) / "given.cfg"
        given.write_text(text.replace("CHECK_DEADLOCK FALSE\n", ""))
        command += ["-deadlock"] if "CHECK_DEADLOCK FALSE" in text else []
        command += ["-noGenerateSpecTE", "-metadir", folder, "-config", str(given), module.name]
        said = subprocess.run(command, cwd=MODULES, capture_output=True, text=True).stdout
    found = re.search(r"(\d+) states generated, (\d+) distinct states found", said)
    depth = re.search(r"depth of the complete state graph search is (\d+)", said)
    if "No error has been found" in said and found:
        return {
            "verdict": "holds",
            "generated": int(found[1]),
            "distinct": int(found[2]),
            "depth": int(depth[1]) if depth else 0,
        }
    error = re.search(r"Error: (.*)", said)
    if not error or ("violated" not in said and "Deadlock" not in said and "evaluat" not in said):
        raise RuntimeError(f"TLC did not decide {module.name}:\n{text}\n{said[-2000:]}")
    states = len(re.findall(r"^State \d+:", said, re.M))
    return {"verdict": "violated", "states": states, "error": error[1]}


def main(classpath: str) -> None:
    """Writes the file."""
    found: dict[str, Any] = {path.stem: judged(path, classpath) for path in configurations()}
    found["behaviours"] = {
        name: said_of(BEHAVIOURS, text, classpath)["verdict"] for name, text in behaviours().items()
    }
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
