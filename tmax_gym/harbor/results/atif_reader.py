"""Read and write trajectories as ATIF; chat lists are read as well.

The reader accepts ATIF 1.0 to 1.8 (written by Harbor 0.6 to 0.25), a list of chat messages, and an
object with such a list under `messages` (mini-swe-agent).  It tolerates broken rules, which
`atif.problems` names, but no wrong types; the writer refuses both.
"""

from __future__ import annotations

from tmax_gym.errors import HarborError
from tmax_gym.harbor.results import atif
from tmax_gym.harbor.results.atif import AtifStep, AtifTrajectory
from tmax_gym.harbor.results.chats import read_chat
from tmax_gym.harbor.results.records import Readers, build, dumps
from tmax_gym.harbor.tasks.fields import Table, as_table, read_json

_DEPTH = 8
"""Largest depth of subagents of subagents."""


def read_trajectory(data: bytes | str, *, where: str = "trajectory.json") -> AtifTrajectory:
    """Return the trajectory of a file of any of these formats.

    Raises:
        HarborError: It is no JSON, of no known format, or a field has a wrong type.
    """
    value = read_json(data, where)
    if isinstance(value, list):
        return read_chat(value, where=where)
    table = as_table(value, where)
    if "schema_version" not in table and "messages" in table:
        return read_chat(table.items("messages"), where=table.place("messages"))
    return _trajectory(table, _DEPTH)


def write_trajectory(trajectory: AtifTrajectory) -> str:
    """Return a trajectory as ATIF.

    Raises:
        HarborError: It breaks a rule of the format.
    """
    if broken := atif.problems(trajectory):
        raise HarborError(f"the trajectory is not valid ATIF: {'; '.join(broken[:3])}")
    return dumps(trajectory)


def _trajectory(table: Table, depth: int) -> AtifTrajectory:
    version = table.text("schema_version")
    if version not in atif.VERSIONS:
        raise table.fault("schema_version", f"one of {atif.VERSIONS[0]} to {atif.VERSIONS[-1]}")
    if "subagent_trajectories" in table and depth == 0:
        raise HarborError(f"{table.place('subagent_trajectories')} are nested too deeply")
    return build(
        AtifTrajectory, table, {**_READERS, AtifTrajectory: lambda sub: _trajectory(sub, depth - 1)}
    )


def _step(table: Table) -> AtifStep:
    return build(AtifStep, table, step_id=table.whole_or("step_id", 0))


_READERS: Readers = {AtifStep: _step}
