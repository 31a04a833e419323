"""Names, by blocks of the source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from croqtile_mlir.frontends.croqtile.lowering.values import Value
from croqtile_mlir.frontends.croqtile.source import Span


@dataclass
class Scope:
    """The names that a block declares, and the scope around it."""

    parent: Scope | None = None
    names: dict[str, Value] = field(default_factory=dict[str, Value])
    places: dict[str, Span] = field(default_factory=dict[str, Span])

    def find(self, name: str) -> Value | None:
        """What a name stands for here."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None

    def place_of(self, name: str) -> Span | None:
        """Where a name that is visible here was declared."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.places.get(name)
            scope = scope.parent
        return None

    def owner_of(self, name: str) -> Scope | None:
        """The scope that declares a name that is visible here."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope
            scope = scope.parent
        return None

    def visible(self) -> Iterator[str]:
        """All names that are visible here."""
        scope: Scope | None = self
        while scope is not None:
            yield from scope.names
            scope = scope.parent

    def declare(self, name: str, value: Value, span: Span) -> None:
        """Add a name."""
        self.names[name] = value
        self.places[name] = span
