"""The result of a replay on another design, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from specmodel.analysis.rival import Attempt, Blocked, Replayed
from specmodel.errors import Span
from specmodel.results import Step
from specmodel.traces.changes import Change
from specmodel.traces.notation import Notation
from specmodel.traces.sentences import Sentences
from specmodel.views.summary import count


def plain(code: str) -> str:
    """Code in a text without marks for code."""
    return code


class ReplaySentences:
    """The sentences about a replay: `headline` in one line, then `details`, each with its
    indentation.

    `code` marks steps and conditions in the text.
    """

    def __init__(self, replayed: Replayed, code: Callable[[str], str] = plain) -> None:
        self.replayed = replayed
        self.code = code
        self.rival = replayed.design.name
        self.notation = Notation.of_spec(replayed.design.spec)
        self.sentences = Sentences(self.notation)

    def headline(self) -> str:
        """`stops before state 10 of 12: become_follower(follower=r2, epoch=0) cannot happen`."""
        replayed, moves = self.replayed, self.replayed.recording.moves
        if replayed.blocked is not None:
            blocked = replayed.blocked
            states = len(moves) + 1
            return f"stops before state {blocked.number} of {states}: {self._stop(blocked)}"
        name = replayed.recording.property
        said = f"each of the {count(len(moves), 'step')} can happen"
        if not name or replayed.violates is None:
            return said
        rule = next((r for r in replayed.design.spec.properties if r.name == name), None)
        if rule is not None and rule.role == "reachable":
            return f"{said}, and {name} is {'met' if replayed.violates else 'not met'} at the end"
        if replayed.violates:
            too = "" if replayed.recording.design == self.rival else " here too"
            return f"{said}, and {name} is violated at the end{too}"
        return f"{said}, but {name} holds at the end"

    def details(self) -> Iterator[tuple[int, str]]:
        """Lines with their indentation: differences on the way, the guards, the possible steps."""
        for moment in self.replayed.moments:
            if moment.move is None:
                yield 0, f"before state {moment.number} it also does {self._step(moment.step)}"
            elif moment.step is None:
                move = self.code(str(moment.move))
                yield 0, f"{move}, to state {moment.number}, is already done here"
        parting = self.replayed.parting
        if parting is not None:
            yield 0, f"from state {parting.number} on the states differ:"
            for change in parting.differences:
                yield 1, self._difference(change)
        blocked = self.replayed.blocked
        if blocked is None:
            return
        for attempt in blocked.attempts:
            yield from self._attempt(attempt, len(blocked.attempts) > 1)
        if blocked.first:
            yield 0, f"it could happen after {self.steps(blocked.first)}"
        if blocked.instead:
            yield 0, f"instead {self.rival} can do {self.steps(blocked.instead)}"
        else:
            yield 0, f"{self.rival} can do nothing there"

    def steps(self, steps: Sequence[Step]) -> str:
        """Steps on one line."""
        return ", ".join(map(self._step, steps))

    def _step(self, step: Step | None) -> str:
        return "" if step is None else self.code(self.notation.step(step))

    def _stop(self, blocked: Blocked) -> str:
        move = self.code(str(blocked.move))
        if not blocked.attempts:
            return f"{move}, and there is no action of the kind {blocked.move.kind} here"
        if len(blocked.attempts) == 1:
            return f"{self._step(blocked.attempts[0].step)} cannot happen"
        return f"{move} cannot happen"

    def _attempt(self, attempt: Attempt, several: bool) -> Iterator[tuple[int, str]]:
        if several:
            yield 0, f"{self._step(attempt.step)}:"
        for guard in attempt.guarded.false:
            yield int(several), self.sentences.why(guard.why)
            place = placed(guard.via, guard.why.span)
            yield int(several) + 1, f"requires {self.code(guard.why.text)}{place}"
        if attempt.guarded.failure:
            yield int(several), f"the spec fails: {attempt.guarded.failure}"
        elif attempt.guarded.enabled:
            yield int(several), "a state constraint is false: the search does not go on from here"

    def _difference(self, change: Change) -> str:
        write = self.notation.value
        return f"{change.path} is {write(change.after)} here, not {write(change.before)}"


def placed(via: Sequence[str], span: Span | None) -> str:
    """The place of a guard: ` (in require_in_epoch, truncation.py:92)`."""
    parts = [f"in {via[-1]}"] if via else []
    if span is not None:
        parts.append(f"{Path(span.file).name}:{span.line}")
    return f"   ({', '.join(parts)})" if parts else ""
