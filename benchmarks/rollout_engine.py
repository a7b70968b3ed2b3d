"""What rollouts cost beside TRL's: a group's wall time, and the building of long token streams.

Group: 32 rollouts of one task, each with a reset of 0.5 s, three tool calls and a verdict that
takes 0.5 s; a completion takes 10 ms.  TRL 1.16's own asynchronous loop, real but for the model's
server, which answers over HTTP with fixed completions; and ours, with the same environment and the
same server.  The time is from the start to the group's last sample.

Tokens: an episode of 64 turns, replies and observations fixed.  TRL's own rollout renders and
tokenises the whole conversation every turn; ours only ever appends.  Processor seconds of each,
and drift: sampled ids that are not in the stream as they were sampled.

    python benchmarks/rollout_engine.py [--rounds 1] [--quick] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import queue
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.outcome import Target, last_line, store
from tmax_gym.agents.harnesses.bash import BashHarness
from tmax_gym.agents.token_agent import TokenAgent, TokenStream
from tmax_gym.trajectory import Ending, Trajectory
from tmax_trainers.engines import Completion
from tmax_trainers.rollout.groups import GroupSource
from tmax_trainers.rollout.records import GroupConfig
from tmax_trainers.rollout.task_order import shuffled

GROUP, CALLS, TURNS = 32, 3, 64
WAIT, COMPLETION = 0.5, 0.01
OBSERVATION = 480
"""Words of an observation in the long episode: about 46,000 tokens in all."""


def main() -> int:
    """Measure, write the results, return 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="small sizes; writes no results")
    parser.add_argument("--json", action="store_true", help="print only the last line")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    group, turns = (4, 8) if options.quick else (GROUP, TURNS)
    tokenizer = chat_tokenizer()
    seen: list[dict[str, float]] = []
    for _ in range(options.rounds):
        with Server(tokenizer) as server:
            theirs = trl_group(tokenizer, server.url, group)
            ours = our_group(server.url, tokenizer, group)
        row = {"trl_seconds": theirs, "our_seconds": ours, "group_ratio": theirs / ours}
        seen.append(row | built(tokenizer, turns))
        if not options.json:
            print(json.dumps({k: round(v, 4) for k, v in seen[-1].items()}))
    targets = judged(seen)
    if not options.quick:
        sizes = {"group": group, "calls": CALLS, "turns": turns, "wait_s": WAIT}
        store("rollout_engine", {"sizes": sizes, "rounds": seen}, targets, load=load)
    print(last_line(targets))
    return 0 if all(target.met for target in targets.values()) else 1


def judged(seen: list[dict[str, float]]) -> dict[str, Target]:
    def middle(key: str) -> float:
        return median(row[key] for row in seen)

    return {
        "trl_group_time_times_ours": Target(middle("group_ratio"), 30, at_most=False),
        "retokenising_times_appending": Target(middle("token_ratio"), 30, at_most=False),
        "drifted_tokens": Target(max(row["drift"] for row in seen), 0),
    }


def chat_tokenizer():
    """Return a byte-level tokenizer of 4,000 words with Qwen3's chat template."""
    import trl
    from tokenizers import Tokenizer, decoders, pre_tokenizers
    from tokenizers.models import BPE
    from tokenizers.trainers import BpeTrainer
    from transformers import PreTrainedTokenizerFast
    from trl.chat_template_utils import add_response_schema

    made = Tokenizer(BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    specials = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    trainer = BpeTrainer(
        vocab_size=4000,
        special_tokens=specials,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    root = Path(__file__).parent.parent
    texts = sorted([*root.glob("*.md"), *root.glob("tmax_gym/*.py")])
    made.train_from_iterator((p.read_text(encoding="utf-8") for p in texts), trainer)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<|endoftext|>", eos_token="<|im_end|>"
    )
    template = Path(trl.__file__).parent / "chat_templates/qwen3.jinja"
    tokenizer.chat_template = template.read_text(encoding="utf-8")
    return add_response_schema(tokenizer)


def call_of(number: int) -> str:
    """Return the reply of a turn: a call of the tool in Hermes form."""
    arguments = {"name": "bash", "arguments": {"command": f"cat notes-{number}.txt"}}
    return f"<tool_call>\n{json.dumps(arguments)}\n</tool_call>"


class Server:
    """A model behind `/v1/completions`: so many calls of the tool, then the end."""

    def __init__(self, tokenizer) -> None:
        replies = [tokenizer.encode(call_of(i) + "<|im_end|>") for i in range(CALLS)]
        last = tokenizer.encode("It is done.<|im_end|>")
        mark = tokenizer.convert_tokens_to_ids("<|im_start|>")

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                """Answer with the reply that is due."""
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                time.sleep(COMPLETION)
                # A message opens with <|im_start|>: user, then a reply and an answer for each call.
                said = (body["prompt"].count(mark) - body.get("before", 2)) // 2
                ids = replies[said] if said < CALLS else last
                answer = {"token_ids": ids, "logprobs": {"token_logprobs": [-0.1] * len(ids)}}
                text = json.dumps({"choices": [answer]}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_: object) -> None:
                """Print nothing."""

        class Listening(ThreadingHTTPServer):
            request_queue_size = 256
            daemon_threads = True

        self._server = Listening(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class SlowTask:
    """An environment as TRL wants it: reset, one tool, a verdict of its own."""

    hurry = threading.Event()
    """Set when the time has been taken, so that the rest of TRL's loop ends soon."""

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
    """Return TRL's real loop, with everything that its worker would give it."""
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
    began = time.monotonic()
    thread.start()
    found = set()
    while len(found) < group:
        sample = buffer.get(timeout=240)
        found.add(len(found) if sample.group_id == 0 else -1)
        assert -1 not in found, "another group came first"
        assert thread.is_alive() or len(found) == group, "TRL's loop has ended"
    seconds = time.monotonic() - began
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
            said = posted(url, {"prompt": stream.ids, "before": 2})
            stream.sampled(said)
            if turn < CALLS:
                machine.bash("cat notes")
                stream.observe(answer)
        machine.get_reward()
        # Rewards that differ by member: a group without variance would be run again.
        return Trajectory(episode.task, "fixed", episode.seed, Ending.SUBMITTED,
                          float(episode.member % 2), tokens=stream.tokens())  # fmt: skip

    config = GroupConfig(groups_per_step=1, group_size=group, workers=group)
    began = time.monotonic()
    with GroupSource(run, shuffled(["notes"], seed=0), config) as source:
        batch = source.next_batch(240)
        seconds = time.monotonic() - began
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
    """Return processor seconds of both ways to build an episode of so many turns."""
    words = (Path(__file__).parent / "README.md").read_text(encoding="utf-8").split()
    seen = [
        " ".join(words[(31 * i + j) % len(words)] for j in range(OBSERVATION)) for i in range(turns)
    ]
    replies = [tokenizer.encode(f"{call_of(i)}<|im_end|>") for i in range(turns)]
    last = tokenizer.encode("It is done.<|im_end|>")
    theirs = retokenised(tokenizer, [*replies, last], seen)
    seconds, stream, drift = appended(tokenizer, [*replies, last], seen)
    return {
        "retokenising_cpu_s": theirs,
        "appending_cpu_s": seconds,
        "token_ratio": theirs / seconds,
        "tokens": float(len(stream)),
        "drift": float(drift),
    }


def retokenised(tokenizer, replies: list[list[int]], seen: list[str]) -> float:
    """Return the processor seconds of TRL's own rollout of one conversation."""
    loop = trl_loop(tokenizer, "http://127.0.0.1:9", 1, queue.Queue())
    said, heard = iter(replies), iter(seen)

    async def turn(prompt_ids):
        ids = next(said)
        return ids, [-0.1] * len(ids)

    def bash(command: str) -> str:
        return next(heard)

    loop._generate_one_turn = turn
    prompt = [{"role": "user", "content": "Read the notes."}]
    began = time.process_time()
    work = loop._generate_one(prompt, tool_dict={"bash": bash}, tools=loop.tools)
    asyncio.run(work)
    return time.process_time() - began


class Fixed:
    """A token policy that says fixed replies."""

    def __init__(self, tokenizer, replies: list[list[int]]) -> None:
        from tmax_trainers.recipes.policy import PublishedTokenizer
        from tmax_trainers.rollout.streams.token_policy import encode

        own = PublishedTokenizer(tokenizer)
        self._replies = iter(replies)
        self.encode = lambda segment: encode(own, segment)
        self.decode = own.decode

    def generate(self, ids, *, max_tokens: int, seed: int) -> Completion:
        """Return the next reply."""
        said = tuple(next(self._replies))
        return Completion(said, (-0.1,) * len(said), (0,) * len(said), "stop")


def appended(
    tokenizer, replies: list[list[int]], seen: list[str]
) -> tuple[float, tuple[int, ...], int]:
    """Return our processor seconds, the stream, and how many sampled ids are not in it in order."""
    agent = TokenAgent(
        Fixed(tokenizer, replies),
        BashHarness("hermes"),
        max_tokens=1 << 20,
        max_turn_tokens=1 << 14,
    )
    began = time.process_time()
    agent.reset("Read the notes.", seed=0)
    observation = ""
    for text in [*seen, ""]:
        agent.act(observation)
        observation = text
    seconds = time.process_time() - began
    stream = agent.tokens
    sampled = [i for i, mine in zip(stream.ids, stream.mask, strict=True) if mine]
    wanted = [i for reply in replies for i in reply]
    drift = abs(len(sampled) - len(wanted))
    drift += sum(a != b for a, b in zip(sampled, wanted, strict=False))
    return seconds, stream.ids, drift


if __name__ == "__main__":
    sys.exit(main())
