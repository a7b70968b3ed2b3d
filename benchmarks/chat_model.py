"""Serve a small model from the package index at an OpenAI-compatible endpoint on the loopback.

The model is SmolLM2-135M (`benchmarks/smollm2.py`).  As in other servers, tool calls are parsed
here: `<tool_call>{"name": ..., "arguments": {...}}</tool_call>`.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

from benchmarks import smollm2
from tests.support.loopback import Loopback

_CALL = re.compile(r"<tool_call>\s*(\{.*?\})\s*(?:</tool_call>|\Z)", re.DOTALL)


class ChatModel:
    """The model, one reply at a time."""

    def __init__(self, *, window: int = 2048) -> None:
        """Load the model; raise `SystemExit` if a package is missing."""
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        file = smollm2.packaged()
        directory = str(file.parent)
        self._torch = torch
        torch.set_num_threads(1)  # two threads wait for each other on a busy machine
        self.tokenizer = AutoTokenizer.from_pretrained(directory, gguf_file=file.name)
        self.model = AutoModelForCausalLM.from_pretrained(directory, gguf_file=file.name)
        self.model.eval()
        self.window = window
        self._lock = threading.Lock()

    def reply(self, body: Mapping[str, Any]) -> tuple[int, Mapping[str, Any]]:
        """Return a status and an answer."""
        text = _prompt(body)
        ids = self.tokenizer(text, return_tensors="pt", add_special_tokens=False)["input_ids"]
        given, most = int(ids.shape[1]), int(body.get("max_tokens") or 64)
        if given + most > self.window:
            message = (
                f"This model's maximum context length is {self.window} tokens. However, you "
                f"requested {given + most} tokens ({given} in the messages, {most} in the "
                "completion)."
            )
            return 400, {"error": {"message": message}}
        with self._lock, self._torch.no_grad():
            self._torch.manual_seed(int(body.get("seed") or 0))
            out = self.model.generate(
                ids,
                attention_mask=self._torch.ones_like(ids),
                max_new_tokens=most,
                do_sample=bool(body.get("temperature", 1.0)),
                temperature=float(body.get("temperature") or 1.0),
                pad_token_id=self.tokenizer.eos_token_id,
            )[0][given:]
        words = self.tokenizer.decode(out, skip_special_tokens=True)
        ended = int(out[-1]) == self.tokenizer.eos_token_id
        answer: dict[str, Any] = {"role": "assistant", "content": words}
        if calls := _calls(words):
            answer |= {"content": _CALL.sub("", words), "tool_calls": calls}
        finish = ("tool_calls" if calls else "stop") if ended else "length"
        return 200, {
            "choices": [{"index": 0, "message": answer, "finish_reason": finish}],
            "usage": {"prompt_tokens": given, "completion_tokens": len(out)},
        }


def _prompt(body: Mapping[str, Any]) -> str:
    """Return the conversation in ChatML, with tools in the form this model was trained on."""
    rows = [dict(m) for m in body["messages"]]
    if tools := body.get("tools"):
        listed = "\n".join(json.dumps(t["function"]) for t in tools)
        note = (
            f"You may call these functions:\n<tools>\n{listed}\n</tools>\nFor each call write\n"
            '<tool_call>\n{"name": "NAME", "arguments": {...}}\n</tool_call>'
        )
        rows.insert(0, {"role": "system", "content": note})
    text = ""
    for row in rows:
        role = "user" if row["role"] == "tool" else row["role"]
        text += f"<|im_start|>{role}\n{row.get('content') or ''}<|im_end|>\n"
    return text + "<|im_start|>assistant\n"


def _calls(words: str) -> list[Mapping[str, Any]]:
    calls: list[Mapping[str, Any]] = []
    for match in _CALL.finditer(words):
        try:
            row = json.loads(match[1])
            function = {"name": row["name"], "arguments": json.dumps(row.get("arguments", {}))}
        except (ValueError, KeyError, TypeError):
            continue
        calls.append({"id": f"call_{len(calls)}", "type": "function", "function": function})
    return calls


@contextmanager
def serving(
    reply: Callable[[Mapping[str, Any]], tuple[int, Mapping[str, Any]]],
) -> Iterator[str]:
    """Answer POST requests of JSON with a status and JSON; yield the server's address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, row = reply(body)
            data = json.dumps(row).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = Loopback(Handler)
    try:
        yield server.url
    finally:
        server.close()
