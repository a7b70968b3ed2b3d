"""The queue model of the exact Monte Carlo family: evaluator and renderings in six languages."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from tmax_gym.axes import Language
from tmax_gym.families.shared.programs import program_text
from tmax_gym.world import toolchains


@dataclass(frozen=True, slots=True)
class Model:
    """Parameters of the queue; percentages are whole numbers."""

    multiplier: int
    increment: int
    arrival: int
    batch: int
    """Largest number that arrives at once."""
    service: int
    capacity: int
    failure: int
    """0 for a server that never breaks."""
    repair: int


def simulate(model: Model, seed: int, ticks: int) -> str:
    """Return `served lost queue peak`."""
    state, queue, served, lost, peak, down = seed % 2**32, 0, 0, 0, 0, 0

    def draw() -> int:
        nonlocal state
        state = (model.multiplier * state + model.increment) % 2**32
        return state >> 16

    for _ in range(ticks):
        if draw() % 100 < model.arrival:
            queue += 1 + (draw() % model.batch if model.batch > 1 else 0)
        lost, queue = lost + max(0, queue - model.capacity), min(queue, model.capacity)
        working = down == 0
        if model.failure:
            if down:
                down -= 1
            elif draw() % 100 < model.failure:
                down = model.repair
        if working and draw() % 100 < model.service and queue:
            queue, served = queue - 1, served + 1
        peak = max(peak, queue)
    return f"{served} {lost} {queue} {peak}"


def render(model: Model, language: Language) -> str:
    """Return a complete program from standard input to standard output."""
    batch = _BATCH[language] if model.batch > 1 else "1"
    failure = _FAILURE[language] if model.failure else ""
    file = f"main.{toolchains.SUFFIX[language]}"
    body = program_text(__package__, file).replace("@failure_block\n", failure)
    if language == "bash":
        body = body.replace("@joins", _BASH_BATCH if model.batch > 1 else "((queue += 1))")
    body = body.replace("@joins", batch)
    for name, value in sorted(asdict(model).items(), key=lambda item: -len(item[0])):
        body = body.replace(f"@{name}", str(value))
    return body


_BATCH = {
    "python": "1 + draw() % @batch",
    "c": "1 + draw() % @batch",
    "cpp": "1 + draw() % @batch",
    "go": "1 + draw()%@batch",
    "rust": "1 + draw(&mut x) % @batch",
    "bash": "",
}
_BASH_BATCH = "{ draw; ((queue += 1 + r % @batch)); }"
_FAILURE = {
    "python": """\
        if down:
            down -= 1
        elif draw() % 100 < @failure:
            down = @repair
""",
    "c": """\
      if (down) down--;
      else if (draw() % 100 < @failure) down = @repair;
""",
    "cpp": """\
            if (down) --down;
            else if (draw() % 100 < @failure) down = @repair;
""",
    "go": """\
\t\t\tif down > 0 {
\t\t\t\tdown--
\t\t\t} else if draw()%100 < @failure {
\t\t\t\tdown = @repair
\t\t\t}
""",
    "rust": """\
            if down > 0 {
                down -= 1;
            } else if draw(&mut x) % 100 < @failure {
                down = @repair;
            }
""",
    "bash": """\
    if ((down)); then ((down -= 1)); else
      draw; ((r % 100 < @failure)) && down=@repair
    fi
""",
}
