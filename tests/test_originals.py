"""Our harnesses beside the originals, where these are installed: no unexplained difference.

$TMAX_HARBOR_PYTHON and $TMAX_OPENHANDS_PYTHON name interpreters that have the packages `harbor`
and `openhands-tools`; both need Python 3.12.
"""

from __future__ import annotations

import importlib.util
import os
import sys

import pytest

from benchmarks.original_talks import OPENHANDS, TERMINUS, Talk
from benchmarks.originals import difference, openhands, terminus
from tmax_gym.sandboxes import Backend


def interpreter(package: str, variable: str) -> str:
    """Return a Python that has a package, or skip."""
    if given := os.environ.get(variable):
        return given
    if sys.version_info >= (3, 12) and importlib.util.find_spec(package.partition(".")[0]):
        return sys.executable
    pytest.skip(f"needs {package} in a Python 3.12, named by ${variable}")


def test_there_are_enough_conversations_with_names_of_their_own() -> None:
    for talks in (TERMINUS, OPENHANDS):
        assert len({talk.name for talk in talks}) == len(talks) >= 15


@pytest.mark.parametrize("talk", TERMINUS, ids=lambda talk: talk.name)
def test_terminus2_is_told_what_the_original_is_told(
    talk: Talk, native_backend: Backend, image: str
) -> None:
    python = interpreter("harbor", "TMAX_HARBOR_PYTHON")
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")
    found = difference(*terminus(talk, native_backend, python))
    assert bool(found) == bool(talk.reason), found


@pytest.mark.parametrize("talk", OPENHANDS, ids=lambda talk: talk.name)
def test_openhands_is_told_what_the_original_is_told(
    talk: Talk, native_backend: Backend, image: str
) -> None:
    python = interpreter("openhands.tools", "TMAX_OPENHANDS_PYTHON")
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")
    found = difference(*openhands(talk, native_backend, python))
    assert bool(found) == bool(talk.reason), found
