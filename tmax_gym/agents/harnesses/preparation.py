"""What a harness needs of the machine, looked at before the first reply and lent where absent.

Covers tmux and python3: a copy of this host's own, or of an image's that was built here, with
their libraries and loader, so that they run in any image of the same kind of processor.
Does not cover installing: a trial must not depend on a network.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tmax_gym.agents.agent import Ground
from tmax_gym.errors import Unbuildable
from tmax_gym.nodes import Node, directory
from tmax_gym.sandboxes.host.portable_programs import portable

PLACE = "/opt/.tmax"
TERMINAL = f"{PLACE}/terminal"
"""Holds the socket of the terminal; any user of the machine may write there."""
_ROOMS = (directory(PLACE), directory(TERMINAL, mode=0o1777), directory(f"{TERMINAL}/bin"))


def need_tmux(ground: Ground) -> None:
    """See that a tmux runs in a machine; lend it one where it has none.

    Raises:
        Unbuildable: There is none to lend, or it does not run there.
    """
    ground.put(_ROOMS)
    if ground.probe("tmux -V > /dev/null") == 0:
        return
    lent = portable("tmux", f"{PLACE}/tmux")
    if not lent:
        raise Unbuildable(
            "the harness terminus2 needs tmux: the image has none, and this host has none to "
            "lend.\nInstall it here (apt-get install tmux, or tmax images build core), or put "
            "tmux into the image."
        )
    program = f"{TERMINAL}/bin/tmux"
    ground.put([*lent, Node(program, kind="link", data=None, target=f"{PLACE}/tmux/run")])
    if ground.probe(f"{program} -V > /dev/null"):
        raise Unbuildable(
            "the harness terminus2 needs tmux: the image has none, and this host's own does not "
            "run in it (another processor, or no /bin/sh?).\nPut tmux into the image."
        )


def need_python(ground: Ground) -> None:
    """See that a machine has a python3 for the file editor.

    Raises:
        Unbuildable: It has none.
    """
    if ground.probe("python3 -I -c 'import json, zlib'"):
        raise Unbuildable(
            "the file editor of the harness openhands needs python3, which the image lacks.\n"
            "Put python3 into the image, or use the harness bash, mini or terminus2."
        )


NEEDS: Mapping[str, Callable[[Ground], None]] = {"openhands": need_python, "terminus2": need_tmux}
"""By the names of the harnesses that need something."""
