"""The dictionary `croq.launch` on a kernel: a launch plan as builtin attributes."""

from __future__ import annotations

from xdsl.dialects.builtin import DictionaryAttr
from xdsl.ir import Attribute

from croqtile_mlir.launch.fields import (
    affine_map,
    boolean,
    dictionary,
    encode,
    integer,
    integers,
    read_records,
    string,
    strings,
)
from croqtile_mlir.launch.plan import ATTRIBUTE, LaunchPlan, LaunchPlanError
from croqtile_mlir.launch.records import ARGS, CHECKS, PARAMS


def read_plan(attribute: Attribute) -> LaunchPlan:
    """Read a plan; a `LaunchPlanError` names the key that is wrong."""
    where = ATTRIBUTE
    entries = dict(dictionary(attribute, where))
    missing = {"args", "dims", "params", "grid", "block"} - entries.keys()
    if missing:
        raise LaunchPlanError(f"{where} must have the key '{min(missing)}'")
    reference = entries.pop("reference", None)
    no_checks = encode(())
    plan = LaunchPlan(
        args=read_records(entries.pop("args"), f"{where}.args", ARGS),
        dims=strings(entries.pop("dims"), f"{where}.dims"),
        params=read_records(entries.pop("params"), f"{where}.params", PARAMS),
        grid=affine_map(entries.pop("grid"), f"{where}.grid"),
        block=integer(entries.pop("block"), f"{where}.block"),
        cluster=_cluster(entries.pop("cluster", None), f"{where}.cluster"),
        shared_bytes=integer(
            entries.pop("shared_bytes", encode(0)), f"{where}.shared_bytes"
        ),
        cooperative=boolean(
            entries.pop("cooperative", encode(False)), f"{where}.cooperative"
        ),
        checks=read_records(
            entries.pop("checks", no_checks), f"{where}.checks", CHECKS
        ),
        target=string(entries.pop("target", encode("sm_90a")), f"{where}.target"),
        reference=None
        if reference is None
        else string(reference, f"{where}.reference"),
    )
    if entries:
        raise LaunchPlanError(f"{where} must not have the key '{min(entries)}'")
    return plan


def write_plan(plan: LaunchPlan) -> DictionaryAttr:
    """The plan as the value of `croq.launch`."""
    values: dict[str, object] = {
        "args": plan.args,
        "dims": plan.dims,
        "params": plan.params,
        "grid": plan.grid,
        "block": plan.block,
        "shared_bytes": plan.shared_bytes,
        "checks": plan.checks,
        "target": plan.target,
    }
    if plan.cooperative:
        values["cooperative"] = True
    if plan.is_clustered:
        values["cluster"] = plan.cluster
    if plan.reference is not None:
        values["reference"] = plan.reference
    return DictionaryAttr({key: encode(value) for key, value in values.items()})


def _cluster(attribute: Attribute | None, where: str) -> tuple[int, int, int]:
    """The extents of a cluster; those of one block where the key is absent."""
    found = (1, 1, 1) if attribute is None else integers(attribute, where)
    if len(found) != 3:
        raise LaunchPlanError(f"{where} must have 3 extents, got {len(found)}")
    return found
