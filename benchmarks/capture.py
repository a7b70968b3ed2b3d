"""Play episodes of unchanged harnesses through the capture endpoint, and count token drift.

A tiny policy is taught what each harness wants to hear, and then plays 200 episodes in each of
them, in native sandboxes; half of them by a policy that was taught too little.  `bash, sliding`
shows the policy only the task and the last exchange, so that it rewrites its history all the time.

Drift is a trained token that the engine did not sample at that place, after exactly those tokens; a
sampled token that is trained in no sequence, or in two; and a log-probability that the policy
itself finds to be different by more than 1e-4 when it reads the recorded sequence.

The cost of the endpoint is the CPU time of a request, with client, HTTP, encoding and record, where
the engine answers at once; the conversation has 64 turns, of 500 tokens each.

    python benchmarks/capture.py [--episodes 200] [--quick] [--json]

`mini` needs the package: pip install 'tmax-gym[mini]'.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from benchmarks.script import Target, finish, high, median, options
from tests.support.captured_play import Speaker, call, write_caller
from tests.support.coin_recipe import ANSWERS, coin
from tmax_gym.agents.agent import Agent
from tmax_gym.agents.client.client import Client, Connection, Model
from tmax_gym.agents.harnesses.window import Budget, Window
from tmax_gym.agents.registry import AgentInputs, make_agent
from tmax_gym.agents.rollout import rollout
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.errors import HarnessError
from tmax_gym.sandboxes import Backend, backend
from tmax_gym.trajectory import Tokens, Trajectory
from tmax_trainers.capture.agent import CapturedAgent
from tmax_trainers.capture.dialects import Dialect
from tmax_trainers.capture.server import CaptureServer, Sizes
from tmax_trainers.capture.sessions import Session
from tmax_trainers.engines import Completion, Engine, Request
from tmax_trainers.engines.transformers import TransformersEngine
from tmax_trainers.policies.tokenizer import WordTokenizer
from tmax_trainers.recipes.policy import PublishedTokenizer

SLIDING = "bash, sliding"
HARNESSES = ("mini", "openhands", "terminus2", SLIDING)
STEPS = 6
LESSONS = (100, 60)
"""Steps of supervised training of a policy that has learned what to say, and of one that has not
quite: its replies are refused, cut off and forgotten."""
WINDOW = Window(tokens=20_000, reply=60, least=60, notices=False)
"""Harnesses estimate sizes by bytes, of which the tokenizer here has more in a token."""
ROOM = 800
"""Tokens of an episode beyond the longest lesson."""
TURNS, WORDS = 64, 480
CLOSE = 1e-4
"""Largest difference of two log-probabilities of one token, in nats."""


@dataclass
class Seen:
    """What the episodes of one harness gave."""

    episodes: int = 0
    ungraded: int = 0
    requests: int = 0
    sequences: int = 0
    displaced: int = 0
    """Trained tokens that the engine did not sample there."""
    lost: int = 0
    """Sampled tokens that are not trained, or trained more than once."""
    off: int = 0
    """Log-probabilities that differ."""
    largest_gap: float = 0.0
    tokens: Counter[str] = field(default_factory=Counter)
    """By reason; `trained` ones too."""
    endings: Counter[str] = field(default_factory=Counter)


class Listening:
    """An engine, and everything that it read and sampled, by the name of the episode."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self.heard: dict[str, list[tuple[tuple[int, ...], Completion]]] = {}

    @property
    def version(self) -> int:
        """Return the present policy version."""
        return self._engine.version

    def generate(self, requests: Sequence[Request]) -> list[Completion]:
        """Sample, and remember."""
        done = list(self._engine.generate(requests))
        with self._lock:
            for request, completion in zip(requests, done, strict=True):
                self.heard.setdefault(request.episode, []).append((request.ids, completion))
        return done

    def update(self, weights, version: int) -> None:
        """Replace the weights."""
        self._engine.update(weights, version)

    def close(self) -> None:
        """Stop sampling."""
        self._engine.close()


class Sliding:
    """A model that is shown only the opening of a conversation and its last exchange."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def __call__(self, messages, **asked):
        """Ask for the next message after what is left."""
        return self._model([*messages[:2], *messages[2:][-2:]], **asked)


def main() -> int:
    """Play, measure, write the results, return 1 if a target is missed."""
    given = options(
        __doc__,
        episodes=(200, "of each harness"),
        concurrent=8,
        quick=(False, "few episodes; writes no results"),
    )
    episodes = 8 if given.quick else given.episodes
    machines, notes = backend("native"), []
    seen: dict[str, Seen] = {}
    for name in HARNESSES:
        try:
            seen[name] = played(name, episodes, given.concurrent, machines)
        except HarnessError as error:
            notes.append(f"{name}: left out: {str(error).splitlines()[0]}")
    cost = request_costs(8 if given.quick else TURNS)
    targets = {
        "capture_drifted_tokens": Target(
            sum(row.displaced + row.lost + row.off for row in seen.values()), 0
        ),
        "capture_episodes_of_a_harness": Target(
            min(row.episodes for row in seen.values()), given.episodes, at_most=False
        ),
        "capture_episodes_without_a_reward": Target(sum(row.ungraded for row in seen.values()), 0),
        "capture_harnesses": Target(len(seen), len(HARNESSES), at_most=False),
        "capture_cpu_ms_a_request": Target(round(median(cost), 2), 20),
    }
    measured = {
        "notes": notes,
        "harnesses": {name: vars(row) for name, row in seen.items()},
        "cpu_ms_a_request": {"p50": round(median(cost), 3), "p95": round(high(cost), 3)},
        "sizes": {"turns": TURNS, "words": WORDS, "concurrent": given.concurrent},
    }
    lines = [*notes, *map(described, seen.items())]
    lines.append(f"CPU ms of a request: p50 {median(cost):.2f}, p95 {high(cost):.2f}")
    return finish("capture", measured, targets, given, lines, stored=not given.quick)


def described(item: tuple[str, Seen]) -> str:
    name, row = item
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(row.tokens.items()))
    return (
        f"{name:13} {row.episodes} episodes, {row.requests} requests, {row.sequences} sequences; "
        f"drift {row.displaced + row.lost + row.off} (largest gap {row.largest_gap:.1e}); "
        f"tokens: {reasons}; endings: {dict(row.endings)}"
    )


def played(name: str, episodes: int, concurrent: int, machines: Backend) -> Seen:
    """Return what a harness's episodes gave, in equal parts by a good and by a poor policy."""
    row = Seen()
    for part, steps in enumerate(LESSONS):
        model, tokenizer = taught(name.partition(",")[0], steps, machines)
        places = range(part, episodes, len(LESSONS))
        with TransformersEngine(model, slots=16) as inner:
            engine, lock = Listening(inner), threading.Lock()
            sizes = Sizes(model.config.max_position_embeddings, WINDOW.reply)
            with CaptureServer(engine, tokenizer, Dialect("hermes"), sizes=sizes) as server:

                def one(place: int, server=server, engine=engine, lock=lock, model=model) -> None:
                    done, session = episode(name, server, place, machines)
                    with lock:
                        row.episodes += 1
                        row.ungraded += done.reward is None
                        row.endings[done.ending.value] += 1
                        count(row, session, engine.heard.pop(str(place), []), model)

                with ThreadPoolExecutor(concurrent) as pool:
                    list(pool.map(one, places))
    return row


def taught(harness: str, steps: int, machines: Backend):
    """Return a policy that has learned for so many steps, and its tokenizer."""
    torch.set_num_threads(1)
    with TemporaryDirectory() as place:
        write_caller(Path(place), harness, machines, steps=steps, room=ROOM)
        model = AutoModelForCausalLM.from_pretrained(place, dtype=torch.float32).eval()
        return model, PublishedTokenizer(AutoTokenizer.from_pretrained(place))


def episode(
    name: str, server: CaptureServer, place: int, machines: Backend
) -> tuple[Trajectory, Session]:
    """Play one episode; return it with its record."""
    harness = name.partition(",")[0]

    def make(model: Model) -> Agent:
        own = Sliding(model) if name == SLIDING else model
        return make_agent(harness, AgentInputs(own, budget=Budget(WINDOW, STEPS)))

    agent = CapturedAgent(server, make, name=harness, episode=str(place))
    task, limits = coin(ANSWERS[place // 2 % 2]), EpisodeLimits(max_steps=STEPS)
    done = rollout(task, agent, backend=machines, seed=place, limits=limits, retries=0)
    return done, agent.opened.session


def count(
    row: Seen, session: Session, heard: list[tuple[tuple[int, ...], Completion]], model
) -> None:
    """Add an episode's numbers; `heard` is what the engine read and sampled."""
    tokens = session.tokens()
    row.requests += len(heard)
    row.tokens.update(session.counts())
    left = Counter((prompt, completion.ids, completion.logprobs) for prompt, completion in heard)
    for sequence in tokens.sequences():
        row.sequences += 1
        for begin, end in runs(sequence.mask):
            turn = (sequence.ids[:begin], sequence.ids[begin:end], sequence.logprobs[begin:end])
            if left[turn]:
                left[turn] -= 1
            else:
                row.displaced += end - begin
        gaps = gaps_of(sequence, model)
        row.off += sum(gap > CLOSE for gap in gaps)
        row.largest_gap = max([row.largest_gap, *gaps])
    row.lost += sum(len(ids) * times for (_, ids, _), times in left.items())


def runs(mask: Sequence[bool]) -> list[tuple[int, int]]:
    """Return the ranges of trained tokens; each is one reply, as text lies between two."""
    edges = [
        i for i, (a, b) in enumerate(zip([False, *mask], [*mask, False], strict=True)) if a != b
    ]
    return list(zip(edges[::2], edges[1::2], strict=True))


def gaps_of(sequence: Tokens, model) -> list[float]:
    """Return how far each recorded log-probability is from the one that the policy finds."""
    places = [i for i, mine in enumerate(sequence.mask) if mine]
    if not places:
        return []
    ids = torch.tensor([sequence.ids])
    with torch.inference_mode():
        logp = model(input_ids=ids, use_cache=False).logits[0].float().log_softmax(-1)
    found = logp[[p - 1 for p in places], [sequence.ids[p] for p in places]].tolist()
    return [abs(a - sequence.logprobs[p]) for a, p in zip(found, places, strict=True)]


def request_costs(turns: int) -> list[float]:
    """Return the CPU milliseconds of each request of a long conversation."""
    words = (Path(__file__).parent / "README.md").read_text(encoding="utf-8").split()
    tokenizer = WordTokenizer.train([" ".join(words)], min_count=1)
    reply = call("bash", command="cat notes.txt")
    tool = {"type": "function", "function": {"name": "bash", "parameters": {}}}
    rows = [{"role": "user", "content": "Read the notes."}]
    cost = []
    sizes = Sizes(10**7, 1000)
    speaker = Speaker(tokenizer, [reply] * turns)
    with CaptureServer(speaker, tokenizer, Dialect("hermes"), sizes=sizes) as server:
        opened = server.open("long", seed=0)
        client = Client(Connection(opened.url, "policy", stream=False))
        for turn in range(turns):
            begun = time.process_time()
            done = client(rows, tools=[tool], seed=0, max_tokens=1000)
            cost.append(1e3 * (time.process_time() - begun))
            text = " ".join(words[(31 * turn + i) % len(words)] for i in range(WORDS))
            call_id = done.message["tool_calls"][0]["id"]
            rows += [done.message, {"role": "tool", "tool_call_id": call_id, "content": text}]
    if opened.session.tokens().starts != (0,):
        raise SystemExit("the conversation is not one sequence: nothing here can be compared")
    return cost


if __name__ == "__main__":
    sys.exit(main())
