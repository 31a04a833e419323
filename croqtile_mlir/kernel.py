"""A compiled kernel: call it, or look at it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

from croqtile_mlir.errors import ArgumentError, DeviceError
from croqtile_mlir.resources import Resources

if TYPE_CHECKING:
    from croqtile_mlir.compiler import Source
    from croqtile_mlir.diagnostics import Diagnostic
    from croqtile_mlir.display.timeline import Timeline
    from croqtile_mlir.launch.plan import LaunchPlan
    from croqtile_mlir.runtime.launch import Launcher, PreparedLaunch
    from croqtile_mlir.runtime.repeated_calls import Again
    from croqtile_mlir.simulator.options import Progress
    from croqtile_mlir.storage.source_facts import RoleBudget


@dataclass(frozen=True, repr=False)
class Kernel:
    """A kernel, made by `compile`.

    ```python
    kernel = croqtile_mlir.compile("examples/matmul_1p1c.mlir", params={"S": 3})
    kernel(a, b, out)
    ```
    """

    name: str
    """The name of the entry in the PTX text."""

    source: Source
    ptx: str
    """The PTX text."""

    plan: LaunchPlan
    """Arguments, parameters, grid and checks."""

    diagnostics: tuple[Diagnostic, ...] = ()
    """Warnings and remarks of the passes."""

    level: str = "croq"
    """The level of the source."""

    _again: list[Again] = field(
        default_factory=list["Again"], init=False, repr=False, compare=False
    )
    """What launches again a call like the latest ones, in order: the launcher's list.

    An attribute of its own: to find a cached property takes a hundredth of a launch.
    """

    def __call__(self, *args: Any, stream: Any = None) -> Any:
        """Launch the kernel; what it returns comes back as a new tensor, or a tuple.

        Takes torch, cupy and other device tensors, in the order of the kernel's
        arguments, or numpy arrays, which are copied to the device and back. The launch
        goes to `stream`, else to the current stream of the tensors' library, and is not
        waited for unless the arguments are numpy arrays. Memory must stay valid until
        the stream has run the kernel: libraries see to it for their current stream.

        Where there is no device, numpy arrays, and those of jax in host memory, go to
        the simulator: the same results, much later, and a `SimulationError` for a
        kernel that synchronises wrongly.

        Raises:
            ArgumentError: an argument breaks a rule; nothing was launched.
            DeviceError: there is no device for it, or the driver failed.
        """
        handle = None if stream is None else self.launcher.stream_handle(stream)
        for again in self._again:
            if again(args, handle):
                return None
        try:
            return self.launcher(args, handle)
        except DeviceError:
            # Looked at only here: a launch does not pay for it.
            if stream is not None or not self._needs_simulator(args):
                raise
        from croqtile_mlir.runtime.jax_arrays import in_kind

        return in_kind(self.simulate(*args), args)

    def simulate(
        self,
        *args: Any,
        policy: str = "rr",
        level: str | None = None,
        trace: str | PathLike[str] | None = None,
        checks: bool = True,
        keep_strides: bool = False,
        progress: Progress | None = None,
    ) -> Any:
        """Run the kernel in the simulator, on numpy arrays (`croqtile_mlir.simulate`).

        Raises:
            SimulationError: the run had faults; `faults` are all.
            ArgumentError: an argument breaks a rule, or there is no such policy.
        """
        from croqtile_mlir.simulator.simulate import simulate

        return simulate(
            self.source,
            *args,
            policy=policy,
            level=level,
            trace=trace,
            checks=checks,
            keep_strides=keep_strides,
            progress=progress,
        )

    def timeline(
        self,
        *args: Any,
        policy: str = "rr",
        level: str | None = None,
        block: int = 0,
    ) -> Timeline:
        """Run the kernel in the simulator, and show what one block did.

        Takes what `simulate` takes; `block` counts blocks in the order they ran. A run
        with faults is shown, too: what waits for ever is red. Notebooks show the
        picture; `save` writes it as SVG.

        Raises:
            ArgumentError: an argument breaks a rule, or there is no such block.
        """
        from croqtile_mlir.display.timeline import timeline_of
        from croqtile_mlir.simulator.simulate import Options, run
        from croqtile_mlir.simulator.trace import Trace

        trace = Trace()
        options = Options(policy, trace)
        report = run(self.source, *args, level=level, options=options)
        return timeline_of(trace.events, f"{report.name}, policy {policy}", block)

    def __repr__(self) -> str:
        plan = self.plan
        args = ", ".join(map(str, plan.args))
        return (
            f"<Kernel {self.name}({args}) for {plan.target}, {plan.block} threads, "
            f"{plan.shared_bytes} bytes of shared memory>"
        )

    def html(self) -> str:
        """Arguments, resources, and the text at each level: what notebooks show."""
        from croqtile_mlir.display.kernel_html import kernel_html

        return kernel_html(self)

    def _repr_html_(self) -> str:
        return self.html()

    def prepare(self, *args: Any, stream: Any = None) -> PreparedLaunch:
        """Check and pack the arguments once, to launch many times."""
        return self.launcher.prepare(args, stream)

    @cached_property
    def launcher(self) -> Launcher:
        """What runs the kernel on devices."""
        from croqtile_mlir.runtime.launch import Launcher

        made = Launcher(self.plan, self.ptx, self.name, again=self._again)
        # One for all threads, also of those that come first at the same time.
        return vars(self).setdefault("launcher", made)

    def ir(self, level: str = "croq") -> str:
        """The IR at level `croq`, `nvvm` or `ptx`, or after a pass: `lower-events`."""
        from croqtile_mlir.compiler import ir_after

        return ir_after(self.source, level)

    @cached_property
    def resources(self) -> Resources:
        """Registers, spills, shared memory, occupancy: from the device, else ptxas."""
        from croqtile_mlir.resources import resources_of

        return resources_of(self.launcher)

    @cached_property
    def roles(self) -> tuple[RoleBudget, ...]:
        """The roles of a block with their register budgets, after the schedule."""
        from croqtile_mlir.storage.source_facts import role_budgets

        return role_budgets(self.source)

    def refuse_spills(self) -> None:
        """Refuse the kernel if its threads spill registers.

        Raises:
            CompileError: they do; it is located at the kernel.
            DeviceError: there is neither a device nor ptxas to tell.
        """
        from croqtile_mlir.storage.source_facts import refuse_spills

        refuse_spills(self.source, self.resources)

    def _needs_simulator(self, args: Sequence[Any]) -> bool:
        """Whether all tiles are in host memory, with no device to copy them to."""
        from croqtile_mlir.launch.plan import TileArg
        from croqtile_mlir.runtime import available
        from croqtile_mlir.runtime.jax_arrays import is_on_host

        if len(args) != len(self.plan.inputs):
            return False
        given = zip(self.plan.inputs, args, strict=True)
        tiles = [each for arg, each in given if isinstance(arg, TileArg)]
        array = getattr(sys.modules.get("numpy"), "ndarray", ())
        if not all(isinstance(tile, array) or is_on_host(tile) for tile in tiles):
            return False
        return not available()


def check_kernel(value: object) -> None:
    """Refuse what is no compiled kernel: source, for one."""
    if not isinstance(value, Kernel):
        kind = type(value).__name__
        raise ArgumentError(f"kernel must be what croq.compile gives, got a {kind}")
