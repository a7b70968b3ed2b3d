"""An agent of one's own in `tmax bench`: registered as a harness, then run like any other.

python benchmark_agent.py bench tmax -n "bulk-rename.*-003?" -a renamer -k 2 -o runs/renamer
"""

import re

from tmax_gym import ScriptedAgent
from tmax_gym.bench.running.harnesses import HarnessEntry, Seat, register_harness
from tmax_gym.cli import main


class Renamer(ScriptedAgent):
    """Renames the first path of an instruction to the last one, then submits."""

    def __init__(self) -> None:
        super().__init__((), name="renamer")

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin an episode."""
        paths = re.findall(r"/app/\w+\.\w+", instruction)
        super().__init__([f"mv {paths[0]} {paths[-1]}"] if paths else [], name="renamer")


def make(seat: Seat) -> Renamer:
    """Return the agent of one trial; the seat knows its task, its attempt and its settings."""
    return Renamer()


register_harness("renamer", HarnessEntry(make))
if __name__ == "__main__":
    main()
