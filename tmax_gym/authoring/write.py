"""Asks a language model behind an endpoint for the texts of tasks.

Every answer that was paid for is kept in a journal, so a run that was stopped goes on without
asking again.  A text with faults goes back with the reasons.  The budget is hard: a call that could
exceed it is not made.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tmax_gym.agents.client.client import Completion, Model, Spent
from tmax_gym.authoring import batch
from tmax_gym.authoring.brief import HOW, brief
from tmax_gym.bench.running.endpoint import Prices
from tmax_gym.errors import ModelError, ModelRefused
from tmax_gym.journal import Journal, read
from tmax_gym.proofs.validate import text_problems
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.compose import Task
from tmax_gym.texts import store
from tmax_gym.texts.store import Text

SENT_BACK = 3
"""Times that a text with faults is sent back to the model."""
REPLY = 2_000
"""Most tokens of an answer: twice the longest text."""
CHARACTERS = 3
"""Characters of a token, at the least, for the largest cost that a call may have."""
ASK = "Answer with the text of the instruction alone: no heading `===`, no remarks about it."
CUT = "the answer was cut off: write a shorter one"


@dataclass(frozen=True, slots=True)
class Progress:
    """What a run has done so far."""

    written: int = 0
    given_up: int = 0
    """Texts that still had faults after they were sent back."""
    failed: int = 0
    """Tasks for which the endpoint had no answer; another run tries them again."""
    spent: Spent = field(default_factory=Spent)
    cost: float = 0.0
    """Dollars of this run and of those before it with the same journal."""
    stopped: str = ""
    """Why not all tasks were tried; "" if they were."""


@dataclass
class Writer:
    """Writes the texts of tasks; one object for one run.

    Args:
        model: Answers conversations; used by all threads.
        author: The name to store texts under.
        journal: File of the paid answers.
        prices: Prices of the model; without them, a budget cannot be kept.
        budget: Most dollars to spend, together with what the journal says was spent.
        show: Gets the progress after every task.
    """

    model: Model
    author: str
    journal: Path
    prices: Prices | None = None
    budget: float | None = None
    show: Callable[[Progress], None] = field(default=lambda _: None)

    def __post_init__(self) -> None:
        """Read what earlier runs paid for; refuse a budget without prices."""
        if self.budget is not None and self.prices is None:
            raise ModelError("a budget needs the prices of the model: give both, or neither")
        self._lock = threading.Lock()
        self._reserved = 0.0
        self._progress = Progress()
        self._known: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for row in read(self.journal, dict[str, Any]):
            self._known.setdefault((row["name"], row["obligations"]), []).append(row)
            self._count(Spent(**row["spent"]))

    def run(self, names: Iterable[str], *, jobs: int) -> Progress:
        """Write the texts of these tasks; return how it went.

        Raises:
            ModelRefused: The endpoint refuses every conversation.
        """
        self._pages = Journal(self.journal)
        pool = ThreadPoolExecutor(jobs, thread_name_prefix="write")
        try:
            for _ in pool.map(self._write, names):
                self.show(self._progress)
        finally:
            pool.shutdown(cancel_futures=True)
            self._pages.close()
        return self._progress

    def _write(self, name: str) -> None:
        if self._progress.stopped:
            return
        task = catalogue.load(name)
        answers = list(self._known.get((task.name, store.digest(task.obligations)), ()))
        while True:
            if answers and not answers[-1]["problems"]:
                batch.keep([_text(task, answers[-1]["text"], self.author)])
                return self._done(written=1)
            if len(answers) > SENT_BACK:
                return self._done(given_up=1)
            try:
                row = self._ask(task, answers)
            except ModelRefused:
                raise
            except ModelError:
                return self._done(failed=1)
            if row is None:
                return None
            answers.append(row)

    def _ask(self, task: Task, answers: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
        """Return the next answer, with its problems; None if the budget has no room for it."""
        messages = _messages(task, answers)
        most = self._most(messages)
        with self._lock:
            if self.budget is not None and self._cost() + self._reserved + most > self.budget:
                self._progress = replace(
                    self._progress, stopped=f"the budget of ${self.budget:.2f}"
                )
                return None
            self._reserved += most
        try:
            reply = self.model(messages, tools=(), seed=task.spec.seed, max_tokens=REPLY)
        finally:
            with self._lock:
                self._reserved -= most
        text = str(reply.message.get("content") or "").strip()
        row = {
            "name": task.name,
            "obligations": store.digest(task.obligations),
            "text": text,
            "problems": _problems(task, text, reply),
            "spent": {n: getattr(reply.spent, n) for n in Spent.__slots__},
        }
        self._pages.add(row)
        with self._lock:
            self._count(reply.spent)
        return row

    def _most(self, messages: Sequence[dict[str, str]]) -> float:
        """Return the largest cost of a call in dollars."""
        if self.prices is None:
            return 0.0
        told = sum(len(message["content"]) for message in messages) // CHARACTERS
        return self.prices.cost(Spent(1, told, 0, REPLY))

    def _cost(self) -> float:
        return self._progress.cost

    def _count(self, spent: Spent) -> None:
        total = self._progress.spent + spent
        cost = self.prices.cost(total) if self.prices else 0.0
        self._progress = replace(self._progress, spent=total, cost=cost)

    def _done(self, **counts: int) -> None:
        with self._lock:
            sums = {name: getattr(self._progress, name) + n for name, n in counts.items()}
            self._progress = replace(self._progress, **sums)


def _messages(task: Task, answers: Sequence[dict[str, Any]]) -> list[dict[str, str]]:
    """Return the conversation so far: the brief, and every text with what is wrong with it."""
    messages = [
        {"role": "system", "content": f"{HOW}\n{ASK}"},
        {"role": "user", "content": brief(task)},
    ]
    for row in answers:
        wrong = "\n".join(f"- {problem}" for problem in row["problems"])
        messages += [
            {"role": "assistant", "content": row["text"] or "(empty)"},
            {"role": "user", "content": f"That text has faults:\n{wrong}\nWrite it again. {ASK}"},
        ]
    return messages


def _problems(task: Task, text: str, reply: Completion) -> list[str]:
    cut = [CUT] if reply.finish == "length" else []
    return [*cut, *text_problems(task, text)]


def _text(task: Task, text: str, author: str) -> Text:
    return Text(task.name, store.digest(task.obligations), text, author)
