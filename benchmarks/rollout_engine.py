"""Compare our rollouts with TRL's: the wall time of a group, and the tokens of long episodes.

Group: 32 rollouts of one task, each with a reset of 0.5 s, three tool calls and a verdict that
takes 0.5 s; a completion takes 10 ms.  TRL 1.16's own asynchronous loop and ours have the same
environment and the same server, which answers over HTTP with fixed completions.  The time is
measured from the start to the group's last sample.

Tokens: an episode of 64 turns with fixed replies and observations.  TRL's own rollout renders and
tokenises the whole conversation every turn; ours only appends.  Measured are the CPU seconds of
each, and the drift: sampled ids that are not in the stream as they were sampled.

    python benchmarks/rollout_engine.py [--rounds 1] [--quick] [--json]
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import queue
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.chat_model import serving
from benchmarks.script import Target, finish, median, options
from tmax_gym.agents.harnesses.bash import BashHarness
from tmax_gym.agents.token_agent import TokenAgent, TokenStream
from tmax_gym.trajectory import Ending, Trajectory
from tmax_trainers.engines import Completion
from tmax_trainers.rollout.groups import GroupSource
from tmax_trainers.rollout.records import GroupConfig
from tmax_trainers.rollout.task_order import Shuffled

GROUP, CALLS, TURNS = 32, 3, 64
WAIT, COMPLETION = 0.5, 0.01
OBSERVATION = 480
"""Words of each observation in the long episode, which has about 46,000 tokens."""


def main() -> int:
    """Measure, write the results, return 1 if a target is missed."""
    given = options(__doc__, rounds=1, quick=(False, "small sizes; writes no results"))
    group, turns = (4, 8) if given.quick else (GROUP, TURNS)
    tokenizer = chat_tokenizer()
    rounds: list[dict[str, float]] = []
    for _ in range(given.rounds):
        with serving(replies(tokenizer)) as url:
            theirs = trl_group(tokenizer, url, group)
            ours = our_group(url, tokenizer, group)
        row = {"trl_seconds": theirs, "our_seconds": ours, "group_ratio": theirs / ours}
        rounds.append(row | built(tokenizer, turns))
    sizes = {"group": group, "calls": CALLS, "turns": turns, "wait_s": WAIT}
    results = {"sizes": sizes, "rounds": rounds}
    lines = [json.dumps({k: round(v, 4) for k, v in row.items()}) for row in rounds]
    targets = judged(rounds)
    return finish("rollout_engine", results, targets, given, lines, stored=not given.quick)


def judged(rounds: list[dict[str, float]]) -> dict[str, Target]:
    def middle(key: str) -> float:
        return median(row[key] for row in rounds)

    return {
        "trl_group_time_times_ours": Target(middle("group_ratio"), 30, at_most=False),
        "retokenising_times_appending": Target(middle("token_ratio"), 30, at_most=False),
        "drifted_tokens": Target(max(row["drift"] for row in rounds), 0),
    }


def chat_tokenizer():
    """Return a byte-level tokenizer with 4,000 tokens and Qwen3's chat template."""
    import trl
    from trl.chat_template_utils import add_response_schema

    from tests.support.tiny_speaker import byte_tokenizer

    root = Path(__file__).parent.parent
    texts = sorted([*root.glob("*.md"), *root.glob("tmax_gym/*.py")])
    tokenizer = byte_tokenizer(
        (path.read_text(encoding="utf-8") for path in texts),
        size=4000,
        specials=("<|endoftext|>", "<|im_start|>", "<|im_end|>"),
    )
    template = Path(trl.__file__).parent / "chat_templates/qwen3.jinja"
    tokenizer.chat_template = template.read_text(encoding="utf-8")
    return add_response_schema(tokenizer)


def call_of(number: int) -> str:
    """Return the reply of a turn: a call of the tool in Hermes form."""
    arguments = {"name": "bash", "arguments": {"command": f"cat notes-{number}.txt"}}
    return f"<tool_call>\n{json.dumps(arguments)}\n</tool_call>"


def replies(tokenizer) -> Callable[[Mapping[str, Any]], tuple[int, Mapping[str, Any]]]:
    """Return a model for `/v1/completions`: a fixed number of tool calls, then the last reply."""
    calls = [tokenizer.encode(call_of(i) + "<|im_end|>") for i in range(CALLS)]
    last = tokenizer.encode("It is done.<|im_end|>")
    start = tokenizer.convert_tokens_to_ids("<|im_start|>")

    def reply(body: Mapping[str, Any]) -> tuple[int, Mapping[str, Any]]:
        time.sleep(COMPLETION)
        # Every message begins with <|im_start|>: the user's, then a call and its answer.
        turn = (body["prompt"].count(start) - body.get("before", 2)) // 2
        ids = calls[turn] if turn < CALLS else last
        answer = {"token_ids": ids, "logprobs": {"token_logprobs": [-0.1] * len(ids)}}
        return 200, {"choices": [answer]}

    return reply


class SlowTask:
    """An environment in the form that TRL expects: reset, one tool, a reward."""

    hurry = threading.Event()
    """Set after the measurement, so that the rest of TRL's loop ends soon."""

    def reset(self, **_: object) -> str:
        """Start the machine."""
        self.hurry.wait(WAIT)
        return ""

    def bash(self, command: str) -> str:
        """Run a command.

        Args:
            command: What bash runs.
        """
        return f"{command}: 7 lines"

    def get_reward(self) -> float:
        """Grade the machine."""
        self.hurry.wait(WAIT)
        return float(time.monotonic_ns() % 2)


def trl_loop(tokenizer, url: str, group: int, buffer):
    """Return TRL's real loop, with the arguments that its worker would pass."""
    from accelerate import PartialState
    from datasets import Dataset
    from trl.experimental.async_grpo.async_rollout_worker import _AsyncRolloutLoop

    PartialState()  # TRL's logger asks for it
    rows = Dataset.from_dict({"prompt": [[{"role": "user", "content": "Read the notes."}]] * 64})
    return _AsyncRolloutLoop(
        model_name="fixed",
        dataset=rows,
        reward_funcs=[],
        processing_class=tokenizer,
        eos_token_ids=[tokenizer.eos_token_id],
        rollout_buffer=buffer,
        model_version_value=multiprocessing.Value("i", 0),
        heartbeat_value=multiprocessing.Value("d", 0.0),
        failed_event=multiprocessing.Event(),
        exception_info_queue=queue.Queue(),
        metrics_queue=queue.Queue(),
        environment_factory=SlowTask,
        num_generations=group,
        max_inflight_tasks=group,
        vllm_server_url=url,
        max_tokens=64,
    )


def trl_group(tokenizer, url: str, group: int) -> float:
    """Return the seconds from TRL's start to the last sample of its first group."""
    SlowTask.hurry.clear()
    buffer: queue.Queue[object] = queue.Queue()
    loop = trl_loop(tokenizer, url, group, buffer)
    thread = threading.Thread(target=loop.run, daemon=True)
    begun = time.monotonic()
    thread.start()
    for count in range(1, group + 1):
        sample = buffer.get(timeout=240)
        assert sample.group_id == 0, "another group came first"
        assert thread.is_alive() or count == group, "TRL's loop has ended"
    seconds = time.monotonic() - begun
    SlowTask.hurry.set()
    loop._loop.call_soon_threadsafe(loop._stop_event.set)
    thread.join(60)
    return seconds


def our_group(url: str, tokenizer, group: int) -> float:
    """Return the seconds from our start to the batch of one group."""
    SlowTask.hurry.clear()
    prompt = tokenizer.apply_chat_template(
        [{"role": "user", "content": "Read the notes."}],
        return_dict=False,
        add_generation_prompt=True,
    )
    answer = tokenizer.encode("<|im_start|>user\nanswer<|im_end|>\n<|im_start|>assistant\n")

    def run(episode):
        machine, stream = SlowTask(), TokenStream(prompt)
        machine.reset()
        for turn in range(CALLS + 1):
            completion = posted(url, {"prompt": stream.ids, "before": 2})
            stream.sampled(completion)
            if turn < CALLS:
                machine.bash("cat notes")
                stream.observe(answer)
        machine.get_reward()
        # Rewards that differ by member: a group without variance would be run again.
        return Trajectory(episode.task, "fixed", episode.seed, Ending.SUBMITTED,
                          float(episode.member % 2), tokens=stream.tokens())  # fmt: skip

    config = GroupConfig(groups_per_step=1, group_size=group, workers=group)
    begun = time.monotonic()
    with GroupSource(run, Shuffled(["notes"], seed=0), config) as source:
        batch = source.next_batch(240)
        seconds = time.monotonic() - begun
    assert batch is not None and len(batch.groups[0].group.trajectories) == group
    return seconds


def posted(url: str, body: dict[str, object]) -> Completion:
    request = urllib.request.Request(
        f"{url}/v1/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        choice = json.load(response)["choices"][0]
    ids = tuple(choice["token_ids"])
    return Completion(ids, tuple(choice["logprobs"]["token_logprobs"]), (0,) * len(ids), "stop")


def built(tokenizer, turns: int) -> dict[str, float]:
    """Return the CPU seconds of both ways to build an episode of so many turns."""
    words = (Path(__file__).parent / "README.md").read_text(encoding="utf-8").split()
    observations = [
        " ".join(words[(31 * i + j) % len(words)] for j in range(OBSERVATION)) for i in range(turns)
    ]
    texts = [*(call_of(i) for i in range(turns)), "It is done."]
    fixed = [tokenizer.encode(f"{text}<|im_end|>") for text in texts]
    theirs = retokenised(tokenizer, fixed, observations)
    seconds, stream, drift = appended(tokenizer, fixed, observations)
    return {
        "retokenising_cpu_s": theirs,
        "appending_cpu_s": seconds,
        "token_ratio": theirs / seconds,
        "tokens": float(len(stream)),
        "drift": float(drift),
    }


def retokenised(tokenizer, replies: list[list[int]], observations: list[str]) -> float:
    """Return the CPU seconds of TRL's own rollout of one conversation."""
    loop = trl_loop(tokenizer, "http://127.0.0.1:9", 1, queue.Queue())
    next_reply, next_observation = iter(replies), iter(observations)

    async def turn(prompt_ids):
        ids = next(next_reply)
        return ids, [-0.1] * len(ids)

    def bash(command: str) -> str:
        return next(next_observation)

    loop._generate_one_turn = turn
    prompt = [{"role": "user", "content": "Read the notes."}]
    begun = time.process_time()
    work = loop._generate_one(prompt, tool_dict={"bash": bash}, tools=loop.tools)
    asyncio.run(work)
    return time.process_time() - begun


class Fixed:
    """A token policy with fixed replies."""

    def __init__(self, tokenizer, replies: list[list[int]]) -> None:
        from tmax_trainers.recipes.policy import PublishedTokenizer
        from tmax_trainers.rollout.streams.token_policy import encode

        own = PublishedTokenizer(tokenizer)
        self._replies = iter(replies)
        self.encode = lambda segment: encode(own, segment)
        self.decode = own.decode

    def generate(self, ids, *, max_tokens: int, seed: int) -> Completion:
        """Return the next reply."""
        ids = tuple(next(self._replies))
        return Completion(ids, (-0.1,) * len(ids), (0,) * len(ids), "stop")


def appended(
    tokenizer, replies: list[list[int]], observations: list[str]
) -> tuple[float, tuple[int, ...], int]:
    """Return our CPU seconds, the stream, and how many sampled ids it lacks at their place."""
    agent = TokenAgent(
        Fixed(tokenizer, replies),
        BashHarness("hermes"),
        max_tokens=1 << 20,
        max_turn_tokens=1 << 14,
    )
    begun = time.process_time()
    agent.reset("Read the notes.", seed=0)
    observation = ""
    for text in [*observations, ""]:
        agent.act(observation)
        observation = text
    seconds = time.process_time() - begun
    stream = agent.tokens
    sampled = [i for i, mine in zip(stream.ids, stream.mask, strict=True) if mine]
    wanted = [i for reply in replies for i in reply]
    drift = abs(len(sampled) - len(wanted))
    drift += sum(a != b for a, b in zip(sampled, wanted, strict=False))
    return seconds, stream.ids, drift


if __name__ == "__main__":
    sys.exit(main())
