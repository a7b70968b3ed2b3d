"""A harness that knows nothing of training, and the record from which its policy learns."""

import gymnasium as gym
import httpx

from tmax_gym import SUBMIT
from tmax_trainers.capture.dialects import Dialect
from tmax_trainers.capture.server import CaptureServer, Sizes
from tmax_trainers.engines.transformers import TransformersEngine
from tmax_trainers.policies.scratch import PolicyConfig, build_policy
from tmax_trainers.policies.tokenizer import WordTokenizer


def harness(base_url: str, env: gym.Env, turns: int) -> None:
    """Play a task with any OpenAI-compatible endpoint; show it the last exchange only."""
    instruction, _ = env.reset(seed=0)
    task, last = [{"role": "user", "content": instruction}], []
    for _ in range(turns):
        body = {"model": "any", "messages": task + last}
        answer = httpx.post(f"{base_url}/chat/completions", json=body, timeout=60).json()
        reply = answer["choices"][0]["message"]
        observation, *_ = env.step(reply["content"] or "true")
        last = [reply, {"role": "user", "content": observation}]
    env.step(SUBMIT)


# A policy that has learned nothing: its replies are noise. A real one comes from transformers.
tokenizer = WordTokenizer([])
model = build_policy(PolicyConfig(len(tokenizer), layers=1, width=32, heads=2), seed=0)
env = gym.make("tmax_gym:tmax/bulk-rename.archive-0030")
with (
    TransformersEngine(model) as engine,
    CaptureServer(engine, tokenizer, Dialect("hermes"), sizes=Sizes(2048, 8)) as server,
):
    opened = server.open("first", seed=0)
    harness(opened.url, env, turns=3)
tokens = opened.session.tokens()
env.close()
print("the policy wrote", sum(tokens.mask), "tokens, and all of them are trained")
for sequence in tokens.sequences():
    print("read", sequence.mask.count(False), "then wrote", sequence.mask.count(True))
print(dict(opened.session.counts()))
