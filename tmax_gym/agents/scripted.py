"""Agents that replay a trajectory, or let a person type commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tmax_gym.agents.agent import Ground, ScriptedAgent, Turn
from tmax_gym.agents.harnesses.openhands import edits
from tmax_gym.agents.harnesses.preparation import NEEDS
from tmax_gym.agents.harnesses.terminus import see_terminal, starts_terminal
from tmax_gym.episodes.observation import SUBMIT
from tmax_gym.trajectory import Ending, Trajectory

END = "submit"
"""What a person types to be graded."""


class ReplayAgent(ScriptedAgent):
    """Repeats the commands of a trajectory, in a machine prepared as its harness did."""

    def __init__(self, trajectory: Trajectory) -> None:
        commands = [step.action for step in trajectory.steps if step.action]
        super().__init__(commands, name="replay", submit=False)
        self._recorded = _recorded(trajectory.agent, commands)
        self._starting = False
        """Whether the last command starts a terminal."""

    def reset(self, instruction: str, *, seed: int) -> None:
        """Start over."""
        super().reset(instruction, seed=seed)
        self._starting = False

    def prepare(self, ground: Ground) -> None:
        """Prepare what the recorded harness needs; raise `Unbuildable` if that fails."""
        if self._recorded in NEEDS:
            NEEDS[self._recorded](ground)

    def act(self, observation: str) -> Turn:
        """Return the next command, or stop; raise `Unbuildable` if a terminal did not start."""
        if self._starting:
            see_terminal(observation)
        turn = super().act(observation)
        self._starting = turn.command is not None and starts_terminal(turn.command)
        return turn


def _recorded(agent: str, commands: Sequence[str]) -> str:
    """Return the harness of a trajectory; a trajectory of a replay shows it in its commands."""
    if any(map(starts_terminal, commands)):
        return "terminus2"
    return "openhands" if any(map(edits, commands)) else agent


class HumanAgent:
    """A person at a prompt, who types `submit` or ends the input to be graded."""

    name = "human"
    tokens: None = None

    def __init__(
        self, *, read: Callable[[str], str] = input, show: Callable[[str], object] = print
    ) -> None:
        self._read = read
        self._show = show

    def reset(self, instruction: str, *, seed: int) -> None:
        """Show the task."""
        self._show(f"{instruction}\n\n(type {END} when it is done)")

    def act(self, observation: str) -> Turn:
        """Show what the last command printed and ask for the next."""
        if observation:
            self._show(observation)
        while True:
            try:
                line = self._read("$ ")
            except EOFError:
                return Turn(ending=Ending.AGENT_STOPPED)
            if line.strip() == END:
                return Turn(SUBMIT)
            if line.strip():
                return Turn(line)
