"""Makes sure that a machine has what a harness needs, before the first reply.

A missing tmux is copied from this host or from an image built here, with its libraries and loader,
so that it runs in any image for the same processor.  A missing python3 is an error.  Nothing is
installed, because a trial must not depend on a network.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tmax_gym.agents.agent import Ground
from tmax_gym.errors import Unbuildable
from tmax_gym.nodes import Node, directory
from tmax_gym.sandboxes.host.portable_programs import portable

PLACE = "/opt/.tmax"
TERMINAL = f"{PLACE}/terminal"
"""The directory of the terminal's socket; any user of the machine may write there."""
_ROOMS = (directory(PLACE), directory(TERMINAL, mode=0o1777), directory(f"{TERMINAL}/bin"))


def need_tmux(ground: Ground) -> None:
    """Make tmux run in a machine, copied there if needed; raise `Unbuildable` if it cannot."""
    ground.put(_ROOMS)
    if ground.probe("tmux -V > /dev/null") == 0:
        return
    copies = portable("tmux", f"{PLACE}/tmux")
    if not copies:
        raise Unbuildable(
            "the harness terminus2 needs tmux: the image has none, and this host has none to "
            "copy.\nInstall it here (apt-get install tmux, or tmax images build core), or put "
            "tmux into the image."
        )
    program = f"{TERMINAL}/bin/tmux"
    ground.put([*copies, Node(program, kind="link", data=None, target=f"{PLACE}/tmux/run")])
    if ground.probe(f"{program} -V > /dev/null"):
        raise Unbuildable(
            "the harness terminus2 needs tmux: the image has none, and this host's tmux does not "
            "run in it (another processor, or no /bin/sh?).\nPut tmux into the image."
        )


def need_python(ground: Ground) -> None:
    """Raise `Unbuildable` if a machine has no python3 for the file editor."""
    if ground.probe("python3 -I -c 'import json, zlib'"):
        raise Unbuildable(
            "the file editor of the harness openhands needs python3, which the image lacks.\n"
            "Put python3 into the image, or use the harness bash, mini or terminus2."
        )


NEEDS: Mapping[str, Callable[[Ground], None]] = {"openhands": need_python, "terminus2": need_tmux}
"""The preparation of each harness that needs one."""
