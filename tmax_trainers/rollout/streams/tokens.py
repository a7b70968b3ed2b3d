"""The token stream of an episode: appended to, never tokenised again.

Covers what the policy read and said, with behaviour log-probabilities and versions.  Does not
cover chat templates: callers append the ids that their dialect puts between turns.
"""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.trajectory import Tokens
from tmax_trainers.engines import Completion


class TokenStream:
    """An episode in the making.

    >>> stream = TokenStream([5, 6])
    >>> stream.observe([7])
    >>> stream.tokens().mask
    (False, False, False)
    """

    def __init__(self, prompt: Sequence[int] = ()) -> None:
        self._ids: list[int] = list(prompt)
        self._mask: list[bool] = [False] * len(self._ids)
        self._logprobs: list[float] = [0.0] * len(self._ids)
        self._versions: list[int] = [-1] * len(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def ids(self) -> tuple[int, ...]:
        """Return everything so far: what the next turn is sampled from."""
        return tuple(self._ids)

    def observe(self, ids: Sequence[int]) -> None:
        """Append tokens that the policy reads and is not trained on."""
        self._ids.extend(ids)
        self._mask.extend([False] * len(ids))
        self._logprobs.extend([0.0] * len(ids))
        self._versions.extend([-1] * len(ids))

    def sampled(self, completion: Completion) -> None:
        """Append a turn exactly as it was sampled."""
        self._ids.extend(completion.ids)
        self._mask.extend([True] * len(completion.ids))
        self._logprobs.extend(completion.logprobs)
        self._versions.extend(completion.versions)

    def teach(self, ids: Sequence[int]) -> None:
        """Append tokens to be learned that no policy sampled: turns of an oracle, for SFT.

        Their log-probability is 0.0 and their version -1, so they must not reach DPPO.
        """
        self._ids.extend(ids)
        self._mask.extend([True] * len(ids))
        self._logprobs.extend([0.0] * len(ids))
        self._versions.extend([-1] * len(ids))

    def tokens(self) -> Tokens:
        """Return the frozen stream."""
        return Tokens(
            ids=tuple(self._ids),
            mask=tuple(self._mask),
            logprobs=tuple(self._logprobs),
            versions=tuple(self._versions),
        )
