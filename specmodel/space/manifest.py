"""The manifest of a run: describes a saved space, and how to read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

from specmodel.constants import Value
from specmodel.dataclass import dataclass
from specmodel.design import Design
from specmodel.domains import StructDomain
from specmodel.errors import DamagedRun, UsageError
from specmodel.ir.layout import Layout
from specmodel.model.model import Rule
from specmodel.results import DEADLOCK
from specmodel.space.files import RunFiles, begin_folder, read_json, refuse_no_folder, write_json
from specmodel.space.types import Description, described, domain_of, plain
from specmodel.suite.targets import target_of
from specmodel.version import __version__

FORMAT = 2
"""Increases when earlier readers would no longer understand the files, or misread them."""

WALKS = "walks"
"""The kind of a folder with random walks; a space has no kind."""


@dataclass(frozen=True)
class Field:
    """A leaf of the packed state: `bits` of word `word`, of which the lowest is bit `shift`."""

    leaf: str
    word: int
    shift: int
    bits: int


@dataclass(frozen=True)
class Binding:
    """An action with arguments: numbers, truth values, and the names of everything else."""

    action: str
    arguments: Mapping[str, Value | str]

    def __str__(self) -> str:
        inner = ", ".join(f"{name}={value}" for name, value in self.arguments.items())
        return f"{self.action}({inner})"


@dataclass(frozen=True)
class Property:
    """A property by name; its place in the manifest is its number in tables."""

    name: str
    kind: str


PARTS: Mapping[str, type[Any]] = {"fields": Field, "bindings": Binding, "properties": Property}
"""The classes of the parts of a manifest, by the keys of lists of parts."""


@dataclass(frozen=True)
class Identified:
    """The program that wrote a folder, and the origin of its data: values by words that messages
    use.

    In a subclass, `kind` is the kind of the manifest (empty: a space), `what` the name of the data,
    and further texts are for folders without a manifest, with another one, and with data of the
    other kind. `same` names the values that must be equal if new data replace old data (empty: all
    values).
    """

    engine: str
    identity: Mapping[str, Any]

    kind: ClassVar[str]
    what: ClassVar[str]
    missing: ClassVar[str]
    another: ClassVar[str]
    unlike: ClassVar[str]
    same: ClassVar[Sequence[str]]

    @property
    def design(self) -> str:
        """The name of the design."""
        return self.identity["design"]

    @property
    def constants(self) -> Mapping[str, Value]:
        """The design's constants by name."""
        return self.identity["constants"]

    def write(self, folder: Path) -> None:
        """Writes it to a folder, which is made if necessary. Raises OSError."""
        header = {"format": FORMAT, "specmodel": __version__}
        header |= {"kind": self.kind} if self.kind else {}
        write_json(RunFiles(folder).manifest, {**header, **asdict(self)})

    @classmethod
    def read(cls, folder: Path) -> Self:
        """The manifest in a folder.

        Raises UsageError if there is none, or one of another format; DamagedRun.
        """
        refuse_no_folder(folder)
        path = RunFiles(folder).manifest
        held = read_json(path)
        if held is None:
            raise UsageError(f"{folder} holds no {cls.missing}: there is no {path.name}")
        if held.get("kind", "") != cls.kind:
            raise UsageError(f"{folder} holds {cls.unlike}")
        if held.get("format") != FORMAT:
            raise UsageError(
                f"{folder} was written by another version of specmodel "
                f"({held.get('specmodel', 'unknown')}): write it again"
            )
        try:
            parts = {part.name: held[part.name] for part in fields(cls)}
            for name, kind in PARTS.items():
                if name in parts:
                    parts[name] = tuple(kind(**part) for part in parts[name])
            return cls(**parts)
        except (KeyError, TypeError) as wrong:
            raise DamagedRun(f"{path} is not what was written: {wrong!r}") from None

    def refuse_other(self, folder: Path) -> None:
        """Makes a folder to save in, if it does not exist.

        Raises UsageError if it contains anything except earlier data of the same identity;
        DamagedRun.
        """
        # It imports the kernel, which readers of a folder do not need.
        from specmodel.space.identity import difference

        if not begin_folder(folder, f"save {self.what}"):
            return
        files = RunFiles(folder)
        if files.spark.exists():
            raise UsageError(
                f"{folder} holds a run on Spark, which has to stay: give another folder"
            )
        if not files.manifest.exists():
            raise UsageError(f"{folder} holds other files: give a new folder, or an empty one")
        before, now = self.read(folder).identity, self.identity
        if self.same:
            before, now = ({key: each.get(key) for key in self.same} for each in (before, now))
        if apart := difference(before, now):
            raise UsageError(
                f"{folder} holds {self.another}: {apart}; give another folder, or remove this one"
            )


@dataclass(frozen=True)
class Manifest(Identified):
    """The manifest of a run.

    `identity` describes the space, by words that messages use: values of the design, constants,
    symmetry and so on, and digests of the model. `target` names the design on the machine that
    wrote it, empty if nothing does. `state` is the type of a state. `parents` says whether states
    have their parent and its binding, `transitions` whether there are any.
    """

    kind = ""
    what = "a space"
    missing = "saved space"
    another = "another space"
    unlike = "random walks (of simulate --save-walks), which are no state space"
    same = ("design", "constants", "symmetry", "model", "layout")

    target: str
    words: int
    fields: tuple[Field, ...]
    state: Description
    bindings: tuple[Binding, ...]
    properties: tuple[Property, ...]
    shards: int
    parents: bool
    transitions: bool

    @property
    def symmetry(self) -> tuple[str, ...]:
        """The sets whose members are interchangeable: then each state stands for its orbit."""
        return tuple(self.identity["symmetry"])

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions, in the order of their bindings."""
        return tuple(dict.fromkeys(binding.action for binding in self.bindings))

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The number that each property has in tables, by its name."""
        return {found.name: number for number, found in enumerate(self.properties)}

    @cached_property
    def layout(self) -> Layout:
        """The packing of states. Raises DamagedRun if the words were written with another one."""
        try:
            domain = domain_of(self.state)
        except (KeyError, TypeError, ValueError) as wrong:
            raise DamagedRun(f"the manifest describes no type of states: {wrong}") from None
        assert isinstance(domain, StructDomain)
        layout = Layout(domain)
        if fields_of(layout) != self.fields:
            raise DamagedRun("the manifest's fields are not those of its type of states")
        return layout


def holds_walks(folder: Path) -> bool:
    """Whether a folder has random walks, and not a space. Raises UsageError, DamagedRun."""
    refuse_no_folder(folder)
    held = read_json(RunFiles(folder).manifest)
    return held is not None and held.get("kind") == WALKS


def manifest_of(
    design: Design,
    identity: Mapping[str, Any],
    rules: Sequence[Rule],
    engine: str,
    shards: int,
    steps: bool = False,
    deadlock: bool = False,
) -> Manifest:
    """The manifest of a search of a design.

    `identity` must have the keys that Manifest's properties read.

    `rules` are the checked properties, of any role; `deadlock` says whether that is checked. With
    `steps`, there are transitions, and the parents of states.
    """
    layout = Layout(design.spec.domain)
    try:
        target = target_of(design)
    except UsageError:
        target = ""
    return Manifest(
        engine=engine,
        identity=dict(identity),
        target=target,
        words=layout.words,
        fields=fields_of(layout),
        state=described(design.spec.domain),
        bindings=bindings_of(design),
        properties=properties_of(rules, deadlock),
        shards=shards,
        parents=steps,
        transitions=steps,
    )


def properties_of(rules: Sequence[Rule], deadlock: bool) -> tuple[Property, ...]:
    """The properties that are checked; `deadlock`, if it is checked, is the last."""
    checked = [Property(rule.name, rule.role) for rule in rules]
    return (*checked, *([Property(DEADLOCK, DEADLOCK)] if deadlock else []))


def fields_of(layout: Layout) -> tuple[Field, ...]:
    """The fields of a packed state."""
    return tuple(
        Field(leaf.path, slot.word, slot.shift, slot.bits)
        for leaf, slot in zip(layout.leaves, layout.slots, strict=True)
    )


def bindings_of(design: Design) -> tuple[Binding, ...]:
    """All bindings of a design's actions, in the order of the spec."""
    return tuple(
        _binding(rule, arguments) for rule in design.spec.rules for arguments in rule.bindings()
    )


def _binding(rule: Rule, arguments: Sequence[Any]) -> Binding:
    given = zip(rule.parameters, arguments, strict=True)
    return Binding(rule.name, {name: plain(value) for name, value in given})
