"""Open a cluster by its name on the command line.

- `local:N`, `local:N:ROOM`: N processes of this machine, each with room for ROOM leases.
- `ray:ADDRESS`: the Ray cluster there; `ray:auto` for the one that this machine belongs to.
- `ray://HOST:PORT`: the same through Ray's client.
- `slurm:FILE`: nodes that read the driver's address from FILE, as `tmax fleet slurm` starts them.
- `nodes:FILE`: the same for nodes that anything else has started with `tmax fleet node`.
"""

from __future__ import annotations

import re
import socket
from pathlib import Path

from tmax_gym.errors import FleetError
from tmax_gym.fleet.contract import Cluster
from tmax_gym.fleet.nodes.connected import ConnectedCluster
from tmax_gym.fleet.nodes.worker import ROOM


def open_cluster(name: str, *, room: int = ROOM, host: str = "") -> Cluster:
    """Return a cluster.

    Args:
        name: As above.
        room: Leases that each node takes at the same time, for nodes that this starts.
        host: Address of this machine that nodes can reach; the host's name by default.

    Raises:
        FleetError: The name is not understood, or the cluster cannot be reached.
    """
    kind, _, rest = name.partition(":")
    if kind == "local" and re.fullmatch(r"[1-9]\d*(:[1-9]\d*)?", rest):
        from tmax_gym.fleet.nodes.local import LocalCluster

        size, _, own = rest.partition(":")
        return LocalCluster(int(size), room=int(own or room))
    if kind == "ray" and rest:
        from tmax_gym.fleet.nodes.ray_cluster import RayCluster

        return RayCluster(name if rest.startswith("//") else rest, room=room)
    if kind in ("slurm", "nodes") and rest:
        expected = "the nodes of a Slurm job" if kind == "slurm" else "nodes"
        return ConnectedCluster(Path(rest), host=host or socket.gethostname(), expected=expected)
    raise FleetError(
        f"{name!r} names no fleet: use local:N[:ROOM], ray:ADDRESS, ray://HOST:PORT, slurm:FILE or "
        "nodes:FILE"
    )
