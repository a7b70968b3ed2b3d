"""An agent of one's own: it reads two paths in the instruction and renames the first one."""

import re

from tmax_gym import SUBMIT, Turn, catalogue, rollout, rollout_group


class Renamer:
    """Renames the first path of an instruction to the last one, then submits."""

    name = "renamer"
    tokens = None  # an agent that samples tokens gives its exact stream here

    def reset(self, instruction: str, *, seed: int) -> None:
        """Begin an episode."""
        paths = re.findall(r"/app/\w+\.\w+", instruction)
        self.commands = [f"mv {paths[0]} {paths[-1]}" if paths else "ls /app", SUBMIT]

    def act(self, observation: str) -> Turn:
        """Return the next command; `observation` is what the last one printed."""
        return Turn(self.commands.pop(0))


task = catalogue.load("bulk-rename.archive-0030")
trajectory = rollout(task, Renamer(), seed=0)
print(trajectory.ending, trajectory.reward)
for step in trajectory.steps:
    print("$", step.action, "->", step.exit_code)

# Several episodes at once, each with a new agent: what training and pass@k are made of.
group = rollout_group(task, Renamer, size=4, seed=0)
print(group.rewards)

short = catalogue.select(family="bulk-rename", complexity="short")[:5]
for spec in short:
    print(spec.name, rollout(catalogue.load(spec.name), Renamer()).reward)
