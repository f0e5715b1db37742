"""A store that takes a write only if it has seen none under a later lease."""


class WriteStore:
    """The software that should follow the design `DESIGN`."""

    def __init__(self) -> None:
        self.written = 0

    def write(self, token: int) -> bool:
        """Whether the store took a write that carries a fencing token."""
        if token < self.written:
            return False
        self.written = token
        return True
