"""What compiling gives as data for a file, and back, without xDSL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, TypeVar

from croqtile_mlir.launch.dim_maps import DimMap, StoredMap, read_expression, stored_map
from croqtile_mlir.launch.plan import LaunchPlan
from croqtile_mlir.launch.records import ARGS, CHECKS, PARAMS, Record
from croqtile_mlir.messages import Diagnostic, Location, Note, Severity

Data = dict[str, Any]

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Compiled:
    """What compiling a source gives."""

    name: str
    """Of the entry."""

    ptx: str
    plan: LaunchPlan
    diagnostics: tuple[Diagnostic, ...]
    level: str
    """Of the source."""


def to_data(compiled: Compiled) -> Data:
    """What `json` writes."""
    plan = compiled.plan
    return {
        "name": compiled.name,
        "ptx": compiled.ptx,
        "level": compiled.level,
        "diagnostics": [asdict(each) for each in compiled.diagnostics],
        "plan": {
            "args": [_record_data(each) for each in plan.args],
            "dims": list(plan.dims),
            "params": [_record_data(each) for each in plan.params],
            "grid": _map_data(plan.grid),
            "block": plan.block,
            "cluster": list(plan.cluster),
            "cooperative": plan.cooperative,
            "shared_bytes": plan.shared_bytes,
            "checks": [_record_data(each) for each in plan.checks],
            "target": plan.target,
            "reference": plan.reference,
        },
    }


def from_data(data: Data) -> Compiled:
    """What `json` read; other data raise `KeyError`, `TypeError` or `ValueError`."""
    plan: Data = data["plan"]
    x, y, z = plan["cluster"]
    return Compiled(
        name=str(data["name"]),
        ptx=str(data["ptx"]),
        level=str(data["level"]),
        diagnostics=tuple(map(_diagnostic, data["diagnostics"])),
        plan=LaunchPlan(
            args=_records(plan["args"], ARGS),
            dims=tuple(plan["dims"]),
            params=_records(plan["params"], PARAMS),
            grid=_map(plan["grid"]),
            block=int(plan["block"]),
            cluster=(int(x), int(y), int(z)),
            shared_bytes=int(plan["shared_bytes"]),
            cooperative=bool(plan["cooperative"]),
            checks=_records(plan["checks"], CHECKS),
            target=str(plan["target"]),
            reference=plan["reference"],
        ),
    )


def _record_data(record: Record) -> Data:
    data: Data = {"kind": record.KIND}
    for field in fields(record):
        value: object = getattr(record, field.name)
        if field.default is MISSING or value != field.default:
            data[field.name] = _map_data(value) if field.type == "DimMap" else value
    return data


def _records(items: Sequence[Data], kinds: Sequence[type[R]]) -> tuple[R, ...]:
    by_kind: Mapping[str, type[R]] = {kind.KIND: kind for kind in kinds}
    return tuple(_record(by_kind[data["kind"]], data) for data in items)


def _record(kind: type[R], data: Data) -> R:
    types = {field.name: str(field.type) for field in fields(kind)}
    values = {
        name: _value(types[name], value)
        for name, value in data.items()
        if name != "kind"
    }
    return kind(**values)


def _value(type: str, value: Any) -> Any:
    if type == "DimMap":
        return _map(value)
    return tuple(value) if type.startswith("tuple") else value


def _map_data(found: Any) -> Data:
    stored = stored_map(found)
    return {"dims": stored.num_dims, "results": stored.results}


def _map(data: Data) -> DimMap:
    return StoredMap(int(data["dims"]), tuple(map(read_expression, data["results"])))


def _diagnostic(data: Data) -> Diagnostic:
    return Diagnostic(
        Severity(data["severity"]),
        Location(**data["location"]),
        data["message"],
        tuple(Note(Location(**n["location"]), n["message"]) for n in data["notes"]),
        data["hint"],
    )
