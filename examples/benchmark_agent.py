"""An agent of one's own in `tmax bench`: added to the table of agents, then run like any other.

python benchmark_agent.py bench tmax -n "bulk-rename.*-003?" -a renamer -k 2 -o runs/renamer
"""

import re

from tmax_gym import AGENTS, AgentEntry, AgentInputs, ScriptedAgent
from tmax_gym.cli import main


class Renamer(ScriptedAgent):
    """Renames the first path of an instruction to the last one, then submits."""

    def __init__(self) -> None:
        super().__init__((), name="renamer")

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin an episode."""
        paths = re.findall(r"/app/\w+\.\w+", instruction)
        super().__init__([f"mv {paths[0]} {paths[-1]}"] if paths else [], name="renamer")


def make(inputs: AgentInputs) -> Renamer:
    """Return the agent of one trial; the inputs have its task, its model and its options."""
    return Renamer()


AGENTS["renamer"] = AgentEntry(make)
if __name__ == "__main__":
    main()
