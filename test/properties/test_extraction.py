"""What the verifier reads out of a kernel is the program that it was printed from."""

from __future__ import annotations

from hypothesis import HealthCheck, given, note, settings

from properties.from_model import bare, steps_of
from properties.kernels import model_of
from properties.patterns import programs
from properties.programs import Program
from properties.to_croq import to_croq
from properties.to_model import to_model
from properties.unrolled import unroll


@settings(
    max_examples=120,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(programs(arrivals=False))
def test_steps(program: Program) -> None:
    """Both ways to a model give the steps of the program, for small counts."""
    note(to_croq(program))
    read = model_of(program)
    for model in (to_model(program), *(() if read is None else (read,))):
        for n in range(4):
            for t in range(3):
                counts = {"n": n, "t": t}
                found = bare(steps_of(model, program, counts))
                assert found == bare(unroll(program, counts)), counts
    if read is not None:
        for barrier in read.barriers:
            event = program.event(barrier.name.removeprefix("%"))
            assert (barrier.slots, barrier.ready) == (event.slots, event.ready)
