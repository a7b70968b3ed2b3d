"""Write a tiny model that solves a one-command task about half of the time: tiny_model.py DIR TASK.

It has learned the command of the reference solution and a useless one.  For first tries without a
download; it knows nothing else.
"""

import sys

from tokenizers import Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE
from tokenizers.trainers import BpeTrainer
from transformers import PreTrainedTokenizerFast

from tmax_gym import PlainHarness
from tmax_gym.tasks import catalogue
from tmax_trainers.policies.scratch import PolicyConfig, build_policy
from tmax_trainers.policies.sft import SFTConfig, train_sft
from tmax_trainers.recipes.policy import PublishedTokenizer
from tmax_trainers.rollout.streams.token_policy import lesson

directory, name = sys.argv[1:]
task = catalogue.load(f"tmax/{name.removeprefix('tmax/')}")
(command,) = task.oracle
replies = (command, "ls /app")

words = Tokenizer(BPE())
words.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
words.decoder = decoders.ByteLevel()
alphabet = pre_tokenizers.ByteLevel.alphabet()
trainer = BpeTrainer(vocab_size=512, special_tokens=["<pad>", "<eos>"], initial_alphabet=alphabet)
words.train_from_iterator([task.instruction, *replies] * 4, trainer)
tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="<eos>")

lessons = [
    lesson(PublishedTokenizer(tokenizer), PlainHarness(),
           instruction=task.instruction, turns=[(reply, "")])
    for reply in replies
]  # fmt: skip
shape = PolicyConfig(len(tokenizer), layers=1, width=64, heads=2, max_length=256)
model = build_policy(shape, seed=0)
last = train_sft(model, lessons, SFTConfig(steps=100, learning_rate=1e-2))[-1]
print(f"loss {last.loss:.3f} after {last.step} steps, a prompt of {len(lessons[0].ids)} tokens")
model.save_pretrained(directory)
tokenizer.save_pretrained(directory)
