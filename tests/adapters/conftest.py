"""The machines of an episode that another trainer plays, to break them from outside."""

from collections.abc import Callable
from typing import Any

import pytest

from tmax_gym.sandboxes import Backend, Sandbox


@pytest.fixture
def machines(native_backend: Backend, monkeypatch: pytest.MonkeyPatch) -> list[Sandbox]:
    """Every native sandbox that is opened from now on; faults are tried again without a pause."""
    opened: list[Sandbox] = []
    really: Callable[..., Sandbox] = type(native_backend).open

    def recording(self: Backend, *args: Any, **kwargs: Any) -> Sandbox:
        opened.append(really(self, *args, **kwargs))
        return opened[-1]

    monkeypatch.setattr(type(native_backend), "open", recording)
    monkeypatch.setattr("tmax_gym.agents.rollout.RETRY_SECONDS", 0.0)
    return opened
