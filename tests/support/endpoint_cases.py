"""Ways in which endpoints answer, each with what must become of the trial: one table.

`solved`: graded 1.  `context`: graded, the window was full.  `format`: graded, the model said
nothing that can be run.  `late`: graded, the model was too slow.  `infra`: no reward, the endpoint
failed.  `refused`: no trial can get further, and none is recorded.
"""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any, Literal

from tests.support.endpoint_server import (
    COUNTS,
    LAST,
    USAGE,
    Ask,
    Way,
    Wire,
    answer,
    call,
    delta,
    function,
    good,
    pieces,
    slowly,
)
from tests.support.endpoint_strict import strict

Fate = Literal["solved", "context", "format", "late", "infra", "refused"]
NONE = 10**6


@dataclass(frozen=True)
class Case:
    """One way to answer."""

    name: str
    fate: Fate
    way: Way
    harness: str = "bash"
    agent_seconds: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    """Of the connection."""


def rows(make: Callable[[Ask], list[Any]], **options: Any) -> Way:
    """Answer with a stream."""
    return lambda wire, ask: wire.events(make(ask), **options)


def whole(make: Callable[[Ask], Any], status: int = 200, **headers: str) -> Way:
    """Answer with one body."""
    return lambda wire, ask: wire.whole(make(ask), status, **headers)


def raw(make: Callable[[Ask], bytes], **headers: str) -> Way:
    """Answer with bytes and no length."""

    def way(wire: Wire, ask: Ask) -> None:
        wire.head(**{"Content_Type": "text/event-stream", **headers})
        wire.send(make(ask))

    return way


def first(bad: Way, then: Way | None = None, times: int = 1) -> Way:
    """Answer badly so many times, then well."""
    well = then or rows(good)
    return lambda wire, ask: (bad if ask.number < times else well)(wire, ask)


def status(code: int, text: Any = "no", **headers: str) -> Way:
    return whole(lambda ask: {"error": {"message": text}}, code, **headers)


def error(row: Any) -> Way:
    """Begin a stream and end it with an error."""
    return rows(lambda ask: [*good(ask)[:2], {"error": row}], done=False)


def sse(ask: Ask, end: str = "\n\n", prefix: str = "data: ") -> str:
    texts = [*map(json.dumps, good(ask)), "[DONE]"]
    return "".join(f"{prefix}{text}{end}" for text in texts)


def one(ask: Ask, **more: Any) -> dict[str, Any]:
    """Return a call as one piece, with these fields besides its function."""
    return {"function": function(ask), **more}


def split(ask: Ask, heads: tuple[Mapping[str, Any], Mapping[str, Any]]) -> list[Any]:
    """Return a stream whose one call comes in two pieces with these fields, names included."""
    half = len(ask.arguments) // 2
    texts = (ask.arguments[:half], ask.arguments[half:])
    made = []
    for head, text in zip(heads, texts, strict=True):
        extra = {"name": head["name"]} if "name" in head else {}
        others = {key: value for key, value in head.items() if key != "name"}
        made.append(pieces({**others, "function": {**extra, "arguments": text}}))
    return [*made, LAST, COUNTS]


def both(ask: Ask, first_: Mapping[str, Any], second: Mapping[str, Any], **how: Any) -> list[Any]:
    """Return a stream with two parallel calls of `openhands`: solve, then finish."""
    solve = {"name": "terminal", "arguments": json.dumps({"command": "cd /app; " + ask.command})}
    done = {"name": "finish", "arguments": json.dumps({"message": "done"})}
    calls = ({**first_, "function": solve}, {**second, "function": done})
    if how.get("together"):
        return [pieces(*calls), LAST, COUNTS]
    return [pieces(calls[0]), pieces(calls[1]), LAST, COUNTS]


def refuses(name: str, said: str, code: int = 400, **more: Any) -> Way:
    """Refuse a parameter for as long as it is sent."""

    def way(wire: Wire, ask: Ask) -> None:
        if name in ask.body:
            message = {"message": said, "type": "invalid_request_error", **more}
            wire.whole({"error": message}, code)
        elif ask.body.get("stream"):
            wire.events(good(ask))
        else:
            wire.whole(answer(ask))

    return way


def chunked(ask: Ask, sizes: int, extension: str = "") -> Callable[[Wire], None]:
    data = sse(ask).encode()

    def send(wire: Wire) -> None:
        wire.head(Content_Type="text/event-stream", Transfer_Encoding="chunked")
        for at in range(0, len(data), sizes):
            wire.chunk(data[at : at + sizes], extension)
        wire.send(b"0\r\n\r\n")

    return send


def byte_by_byte(wire: Wire, ask: Ask) -> None:
    """Send a stream with letters of several bytes, a byte at a time."""
    made = [delta({"content": "größer → 数"}), *good(ask)]
    text = "".join(f"data: {json.dumps(row, ensure_ascii=False)}\n\n" for row in made)
    wire.head(Content_Type="text/event-stream", Transfer_Encoding="chunked")
    for byte in (text + "data: [DONE]\n\n").encode():
        wire.chunk(bytes([byte]))
    wire.send(b"0\r\n\r\n")


def stays_open(wire: Wire, ask: Ask) -> None:
    """Say all of a reply and its end, and never close."""
    wire.events(good(ask)[:-1], done=False)
    wire.for_ever(b": keep-alive\n\n")


def trickle(wire: Wire, ask: Ask) -> None:
    """Send an answer without end, a byte at a time."""
    wire.head(Content_Type="application/json", length=NONE)
    wire.for_ever(b" ")


def headers_for_ever(wire: Wire, ask: Ask) -> None:
    wire.send(b"HTTP/1.1 200 OK\r\n")
    wire.for_ever(b"X-More: yes\r\n")


def hangs_after(count: int, then: bytes = b"") -> Way:
    """Send so many rows of a good stream, then only this."""

    def way(wire: Wire, ask: Ask) -> None:
        wire.events(good(ask)[:count], done=False)
        wire.for_ever(then)

    return way


def moved(to: str, code: int) -> Way:
    """Send requests on from the usual path."""

    def way(wire: Wire, ask: Ask) -> None:
        if ask.headers["path"] == "/v1/chat/completions":
            wire.whole(b"", code, Location=to)
        else:
            wire.events(good(ask))

    return way


def without_finish(ask: Ask) -> list[Any]:
    return [row for row in good(ask) if row is not LAST]


def replaced(ask: Ask, old: str, new: str) -> bytes:
    return sse(ask).replace(old, new).encode()


def never(wire: Wire, ask: Ask) -> None:
    wire.for_ever()


def content(ask: Ask, *parts: Any) -> dict[str, Any]:
    return answer(ask, {"content": list(parts)})


THOUGHT = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
KEEP = b": keep-alive\n\n"
SHORT = {"request_seconds": 60.0, "turn_seconds": 60.0}
"""So that the agent's own time is over first."""
OVERFLOW = "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens"
BIG = {"error": {"message": "prompt is too long: 208310 tokens > 200000 maximum"}}


def in_http_date(seconds: float) -> str:
    return formatdate(time.time() + seconds, usegmt=True)


def later(**headers: str) -> Way:
    return first(status(429, "slow down", **headers))


GOOD = (
    Case("a stream", "solved", rows(good)),
    Case("a whole answer to a streaming request", "solved", whole(answer)),
    Case("a stream to a request for a whole answer", "solved", rows(good),
         options={"stream": False}),
    Case("no [DONE] after the end was said", "solved", rows(good, done=False)),
    Case("no [DONE] and no counts", "solved", rows(lambda a: good(a)[:-1], done=False)),
    Case("an open connection after the end was said", "solved", stays_open),
    Case("empty rows for ever after the end was said", "solved", lambda w, a: (
        w.events(good(a), done=False), w.for_ever(b'data: {"choices": []}\n\n'), None)[-1]),
    Case("a null error in every row", "solved",
         rows(lambda a: [{**row, "error": None} for row in good(a)])),
    Case("a null error in a whole answer", "solved", whole(lambda a: {**answer(a), "error": None})),
    Case("rows that end with CRLF", "solved", raw(lambda a: sse(a, "\r\n\r\n").encode())),
    Case("rows that end with CR", "solved", raw(lambda a: sse(a, "\r\r").encode())),
    Case("rows that end with one line break", "solved", raw(lambda a: sse(a, "\n").encode())),
    Case("no space after data:", "solved", raw(lambda a: sse(a, prefix="data:").encode())),
    Case("a last row that nothing ends", "solved", raw(lambda a: sse(a).rstrip().encode())),
    Case("a byte order mark", "solved", raw(lambda a: b"\xef\xbb\xbf" + sse(a).encode())),
    Case("rows of several lines", "solved", raw(lambda a: b"".join(
        b"data: " + json.dumps(row, indent=1).encode().replace(b"\n", b"\ndata: ") + b"\n\n"
        for row in good(a)) + b"data: [DONE]\n\n")),
    Case("comments, ids and names of events between rows", "solved", raw(lambda a: sse(a).replace(
        "data: ", ": hello\nid: 7\nevent: message\nretry: 10\ndata: ").encode())),
    Case("comments for some seconds before the first row", "solved", lambda w, a: (
        w.head(Content_Type="text/event-stream"), [w.send(KEEP) for _ in range(50)],
        w.send(sse(a).encode()), None)[-1]),
    Case("a byte a chunk, letters cut in two", "solved", byte_by_byte),
    Case("chunks with extensions", "solved", lambda w, a: chunked(a, 7, ";x=y")(w)),
    Case("compressed by gzip", "solved", lambda w, a: w.whole(
        gzip.compress(sse(a).encode()), Content_Encoding="gzip",
        Content_Type="text/event-stream")),
    Case("a charset that is not the right one", "solved", raw(
        lambda a: sse(a).encode(), Content_Type="text/event-stream; charset=iso-8859-1")),
    Case("no content type", "solved", lambda w, a: (w.head(), w.send(sse(a).encode()), None)[-1]),
    Case("a stream as text/plain", "solved", raw(
        lambda a: sse(a).encode(), Content_Type="text/plain")),
    Case("JSON as text/html", "solved", whole(answer, Content_Type="text/html")),
    Case("status 201", "solved", whole(answer, 201)),
    Case("a line separator of Unicode inside text", "solved", raw(lambda a: replaced(
        a, '"so "', '"so \u2028\u0085 "'))),
    Case("a row of a megabyte", "solved", rows(
        lambda a: [delta({"reasoning_content": "x" * (1 << 20)}), *good(a)])),
    Case("a slow but steady stream", "solved", lambda w, a: slowly(w, good(a), 0.15)),
    Case("redirected on the same host (308)", "solved", moved("/other/chat/completions", 308)),
    Case("a role alone first, null content", "solved",
         rows(lambda a: [delta({"role": "assistant", "content": None}), *good(a)])),
    Case("null content", "solved", whole(lambda a: answer(a, {"content": None}))),
    Case("no reason for stopping, then [DONE]", "solved", rows(without_finish)),
    Case("no reason for stopping in a whole answer", "solved",
         whole(lambda a: answer(a, finish_reason=None))),
    Case("two choices", "solved", whole(lambda a: {
        **answer(a), "choices": [{**answer(a)["choices"][0]},
                                 {**answer(a, {"tool_calls": []})["choices"][0], "index": 1}]})),
    Case("two choices, row by row in turns", "solved", rows(lambda a: [
        part for row in good(a) for part in (row, {
            **row, "choices": [{**c, "index": 1, "delta": {"content": "other"}}
                               for c in row["choices"]]})])),
    Case("choices are null in the row of counts", "solved",
         rows(lambda a: [*good(a)[:-1], {**COUNTS, "choices": None}])),
    Case("counts as text, details null", "solved", whole(lambda a: {
        **answer(a), "usage": {"prompt_tokens": "12", "completion_tokens": 3.0,
                               "prompt_tokens_details": None}})),
    Case("no counts", "solved", whole(lambda a: {**answer(a), "usage": None})),
    Case("thoughts and text as parts", "solved",
         whole(lambda a: content(a, THOUGHT, {"type": "text", "text": "so"}))),
    Case("parts of output_text, and plain ones", "solved",
         whole(lambda a: content(a, {"type": "output_text", "text": "so"}, "now", None, 7))),
    Case("parts in a stream", "solved",
         rows(lambda a: [delta({"content": [THOUGHT]}), *good(a)])),
    Case("reasoning under two names", "solved", rows(lambda a: [
        delta({"reasoning": "hm", "reasoning_content": "hm"}), *good(a)])),
    Case("unknown fields everywhere", "solved", rows(lambda a: [
        {**row, "x": 1, "choices": [{**c, "logprobs": None, "y": {}} for c in row["choices"]]}
        for row in good(a)])),
    Case("the old function_call", "solved", whole(lambda a: answer(
        a, {"tool_calls": None, "function_call": function(a)}, finish_reason="function_call"))),
    Case("a whole message inside a stream", "solved", rows(lambda a: [answer(a)])),
)  # fmt: skip

CALLS = (
    Case("a name in every piece", "solved", rows(lambda a: split(
        a, ({"index": 0, "id": "a", "name": "bash"}, {"index": 0, "id": "a", "name": "bash"})))),
    Case("a name in every piece, no index", "solved", rows(lambda a: split(
        a, ({"id": "a", "name": "bash"}, {"name": "bash"})))),
    Case("a name in two pieces", "solved", rows(lambda a: [
        pieces({"index": 0, "id": "a", "function": {"name": "ba"}}),
        pieces({"index": 0, "function": {"name": "sh"}}),
        *split(a, ({"index": 0}, {"index": 0}))])),
    Case("an id in every piece, each another", "solved", rows(lambda a: split(
        a, ({"index": 0, "id": "a", "name": "bash"}, {"index": 0, "id": "b", "name": "bash"})))),
    Case("an id alone in the first piece", "solved", rows(lambda a: split(
        a, ({"id": "a", "name": "bash"}, {})))),
    Case("null ids", "solved", rows(lambda a: split(
        a, ({"index": 0, "id": None, "name": "bash"}, {"index": 0, "id": None, "name": None})))),
    Case("null arguments in the first piece", "solved", rows(lambda a: [
        pieces({"index": 0, "id": "a", "function": {"name": "bash", "arguments": None}}),
        *split(a, ({"index": 0}, {"index": 0}))])),
    Case("no ids in a whole answer", "solved",
         whole(lambda a: answer(a, {"tool_calls": [one(a)]}))),
    Case("arguments as an object", "solved", whole(lambda a: answer(
        a, {"tool_calls": [{"id": "a", "function": {
            "name": "bash", "arguments": {"command": a.command}}}]}))),
    Case("arguments as an object in a stream", "solved", rows(lambda a: [
        pieces({"index": 0, "id": "a", "function": {
            "name": "bash", "arguments": {"command": a.command}}}), LAST])),
    Case("the name beside the index", "solved", rows(lambda a: [
        pieces({"index": 0, "id": "a", "name": "bash", "arguments": a.arguments}), LAST])),
    *(
        Case(f"two calls: {name}", "solved",
             rows(lambda a, x=x, y=y, t=t: both(a, x, y, together=t)), harness="openhands")
        for t, name, x, y in (
            (False, "numbered", {"index": 0, "id": "a"}, {"index": 1, "id": "b"}),
            (False, "both number 0", {"index": 0, "id": "a"}, {"index": 0, "id": "b"}),
            (False, "both number 0, no ids", {"index": 0}, {"index": 0}),
            (False, "without numbers", {"id": "a"}, {"id": "b"}),
            (False, "without numbers or ids", {}, {}),
            (False, "null ids", {"index": 0, "id": None}, {"index": 1, "id": None}),
            (False, "one id for both", {"index": 0, "id": "a"}, {"index": 1, "id": "a"}),
            (False, "one id and one number for both", {"index": 0, "id": "a"},
             {"index": 0, "id": "a"}),
            (True, "in one row, both number 0", {"index": 0, "id": "a"}, {"index": 0, "id": "b"}),
            (True, "in one row, without numbers or ids", {}, {}),
        )
    ),
)  # fmt: skip

STRICT = (
    Case("an endpoint that takes the specification literally", "solved",
         strict(whole(lambda a: answer(a, {"content": None, "audio": None, "annotations": []})))),
    Case("an endpoint that takes it literally, and sends no ids", "solved", strict(whole(
        lambda a: answer(a, {"content": "", "tool_calls": [{"index": 0, **one(a)}]})))),
    Case("an endpoint that takes it literally, and two calls", "solved",
         strict(rows(lambda a: both(a, {"id": "a"}, {"id": "b"}))), harness="openhands"),
    Case("an endpoint that takes it literally, and a reply without a call", "solved",
         first(whole(lambda a: answer(a, {"content": None, "tool_calls": None})),
               strict(rows(good)))),
)  # fmt: skip

REFUSES = (
    Case("refuses max_tokens", "solved", refuses(
        "max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
        "'max_completion_tokens' instead.", param="max_tokens", code_="unsupported_parameter")),
    Case("refuses max_tokens and what it names instead", "solved", refuses(
        "max_tokens", "Unrecognized request argument supplied: max_tokens")),
    Case("refuses temperature", "solved", refuses(
        "temperature", "Unsupported value: 'temperature' does not support 0.7 with this model. "
        "Only the default (1) value is supported.", param="temperature")),
    Case("refuses top_p beside temperature", "solved", refuses(
        "top_p", "`temperature` and `top_p` cannot both be specified for this model.")),
    Case("refuses seed", "solved", refuses("seed", "property 'seed' is unsupported")),
    Case("refuses seed as pydantic does", "solved", lambda w, a: w.whole(
        {"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"],
                     "msg": "Extra inputs are not permitted", "input": 1}]}, 422)
        if "seed" in a.body else w.events(good(a))),
    Case("refuses stream_options", "solved", refuses(
        "stream_options", "Unknown field: stream_options")),
    Case("refuses to stream", "solved", refuses(
        "stream", "Streaming is not supported for this model", param="stream")),
    Case("refuses parameters one after the other", "solved", lambda w, a: next(
        (w.whole({"error": {"message": f"unexpected keyword argument '{name}'"}}, 400)
         for name in ("stream_options", "seed", "top_p", "temperature", "max_tokens",
                      "max_completion_tokens") if name in a.body), None)
        if set(a.body) & {"seed", "top_p", "temperature", "max_tokens", "stream_options",
                          "max_completion_tokens"} else w.events(good(a))),
    Case("refuses so many tokens", "solved", lambda w, a: w.whole({"error": {
        "message": "max_tokens is too large: 8192. This model supports at most 4096 completion "
        "tokens", "param": "max_tokens"}}, 400)
        if a.body["max_tokens"] > 4096 else w.events(good(a))),
    Case("refuses a system message", "solved", lambda w, a: w.whole({"error": {
        "message": "Unsupported value: 'messages[0].role' does not support 'system' with this "
        "model.", "param": "messages[0].role"}}, 400)
        if a.body["messages"][0]["role"] == "system" else w.events(good(a))),
    Case("refuses tools", "infra", refuses("tools", "this model does not support tools")),
    Case("refuses whatever is sent", "infra", status(400, "Unsupported parameter: 'seed'")),
)  # fmt: skip

WAITS = (
    Case("429 without a hint", "solved", later()),
    Case("429 with Retry-After in seconds", "solved", later(Retry_After="1")),
    Case("429 with a fraction in Retry-After", "solved", later(Retry_After="0.3")),
    Case("429 with a date in Retry-After", "solved",
         first(lambda w, a: status(429, "x", Retry_After=in_http_date(1))(w, a))),
    Case("429 with retry-after-ms", "solved", later(Retry_After_Ms="200")),
    Case("429 with x-ratelimit-reset", "solved", later(
        X_RateLimit_Reset_Requests="300ms", X_RateLimit_Remaining_Requests="0")),
    Case("429 with nonsense in Retry-After", "solved", later(Retry_After="soon")),
    Case("429 that asks for more than there is", "infra", status(429, Retry_After="86400")),
    Case("429 that asks for a date too far away", "infra",
         lambda w, a: status(429, "x", Retry_After=in_http_date(9000))(w, a)),
    Case("429 for ever", "infra", status(429)),
    Case("no money left", "refused", whole(lambda a: {"error": {
        "message": "You exceeded your current quota", "code": "insufficient_quota"}}, 429)),
    *(Case(f"{code} once", "solved", first(status(code))) for code in
      (408, 409, 425, 500, 502, 503, 504, 520, 524, 529)),
    *(Case(f"{code} for ever", "infra", status(code)) for code in
      (400, 408, 413, 418, 422, 500, 502, 503, 504, 529)),
    *(Case(f"{code}", "refused", status(code)) for code in (401, 402, 403, 404, 405)),
    Case("redirected to another host", "refused", moved("https://example.invalid/v1", 307)),
    Case("redirected to itself", "infra", status(308, Location="/v1/chat/completions")),
    Case("redirected to a page for a browser", "refused", moved("/login", 302)),
)  # fmt: skip

FULL = (
    Case("full: 400", "context", status(400, OVERFLOW)),
    Case("full: 413", "context", whole(lambda a: BIG, 413)),
    Case("full: 422", "context", status(422, "`inputs` tokens + `max_new_tokens` must be <= 4096")),
    Case("full: 500", "context", status(500, "the request exceeds the available context size")),
    Case("full: 500 by its code alone", "context", whole(lambda a: {"error": {
        "message": "oops", "type": "exceed_context_size_error"}}, 500)),
    Case("full: 503", "context", status(503, "input length exceeds the context length")),
    Case("full: in a row of a stream", "context",
         error({"message": OVERFLOW, "code": "context_length_exceeded"})),
    Case("full: as the first row", "context", rows(lambda a: [{"error": OVERFLOW}], done=False)),
    Case("full: as a whole answer under 200", "context", whole(lambda a: BIG)),
    Case("full: an error object of vLLM", "context", whole(lambda a: {
        "object": "error", "message": OVERFLOW, "code": 400}, 200)),
    Case("full: Google's words", "context", whole(lambda a: [{"error": {
        "code": 400, "message": "The input token count (1048600) exceeds the maximum number of "
        "tokens allowed (1048576).", "status": "INVALID_ARGUMENT"}}], 400)),
    Case("not full: too many tokens a minute", "infra", status(
        429, "Too many tokens, please wait before trying again")),
    Case("not full: a deadline that Go calls context", "infra", status(
        500, "context deadline exceeded (Client.Timeout exceeded while awaiting headers)")),
    Case("not full: a limit by the minute, in a row", "infra",
         error("Rate limit reached: too many tokens per minute")),
)  # fmt: skip

FAULTS = (
    Case("an error as the only row", "infra", rows(lambda a: [{"error": {"message": "boom"}}])),
    Case("an error after some pieces", "infra", error({"message": "engine died", "code": 500})),
    Case("an error as text", "infra", error("boom")),
    Case("an error inside a choice", "infra", rows(lambda a: [
        {"choices": [{"index": 0, "delta": {}, "error": {"code": 502, "message": "upstream"}}]}])),
    Case("an event of the kind error", "infra", raw(
        lambda a: b'event: error\ndata: {"type": "error", "message": "overloaded"}\n\n')),
    Case("an error once, then a reply", "solved", first(error({"message": "boom"}))),
    Case("an error as a whole answer under 200", "infra", whole(lambda a: {"error": "boom"})),
    Case("a wrong key under 200", "refused", whole(lambda a: {
        "error": {"message": "bad key", "code": 401}})),
    Case("an empty stream", "infra", rows(lambda a: [], done=False)),
    Case("[DONE] alone", "infra", rows(lambda a: [])),
    Case("comments alone, then the end", "infra", raw(lambda a: KEEP * 5)),
    Case("an empty message", "infra", whole(lambda a: {"choices": [
        {"message": {"role": "assistant", "content": ""}, "finish_reason": "stop"}]})),
    Case("an empty message that cost no token", "infra", rows(lambda a: [
        delta({"content": ""}, "stop"), {**COUNTS, "usage": {**USAGE, "completion_tokens": 0}}])),
    Case("no choices", "infra", whole(lambda a: {"choices": [], "usage": USAGE})),
    Case("a message that is null", "infra", whole(lambda a: {"choices": [{"message": None}]})),
    Case("an empty body", "infra", whole(lambda a: b"")),
    Case("204", "infra", lambda w, a: w.head(204)),
    Case("an empty object", "infra", whole(lambda a: {})),
    Case("a list", "infra", whole(lambda a: [1, 2])),
    Case("a number", "infra", whole(lambda a: b"42")),
    Case("JSON cut short", "infra", whole(lambda a: json.dumps(answer(a))[:-40])),
    Case("a length that the body does not reach", "infra", lambda w, a: (
        w.head(Content_Type="application/json", length=9999), w.send(b'{"choices": ['), None)[-1]),
    Case("a page of HTML under 200", "infra", whole(
        lambda a: "<html><h1>502 Bad Gateway</h1></html>", Content_Type="text/html")),
    Case("a row that is no JSON", "infra", rows(lambda a: [*good(a)[:3], "{oops"])),
    Case("a row cut short", "infra", raw(lambda a: sse(a).encode()[:300])),
    Case("a stream cut short between rows", "infra", rows(lambda a: good(a)[:4], done=False)),
    Case("a call cut short, then [DONE]", "infra", rows(lambda a: good(a)[:4])),
    Case("cut short once, then a reply", "solved", first(rows(lambda a: good(a)[:4], done=False))),
    Case("broken gzip", "infra", lambda w, a: w.whole(
        b"\x1f\x8bnonsense", Content_Encoding="gzip")),
    Case("a broken chunk", "infra", lambda w, a: (w.head(
        Content_Type="text/event-stream", Transfer_Encoding="chunked"),
        w.send(b"zz\r\n"), None)[-1]),
    Case("no HTTP", "infra", lambda w, a: w.send(b"SSH-2.0-OpenSSH_9.6\r\n")),
    Case("a connection that is reset at once", "infra", lambda w, a: w.reset()),
    Case("a connection that is reset inside the body", "infra", lambda w, a: (
        w.events(good(a)[:4], done=False), time.sleep(0.05), w.reset(), None)[-1]),
    Case("a connection that is reset once", "solved", first(lambda w, a: w.reset())),
    Case("a connection that is closed at once", "infra", lambda w, a: None),
    Case("stopped by a filter", "infra", rows(lambda a: [
        delta({"content": "I"}), delta({}, "content_filter")])),
    Case("stopped by an error", "infra", rows(lambda a: [delta({}, "error")])),
)  # fmt: skip

MODELS = (
    Case("the model only talks", "format", whole(lambda a: answer(
        a, {"tool_calls": None}, finish_reason="stop"))),
    Case("the model refuses", "format", whole(lambda a: answer(
        a, {"content": None, "tool_calls": None, "refusal": "I cannot."}, finish_reason="stop"))),
    Case("the model ends at once, which costs a token", "format", rows(lambda a: [
        delta({"content": ""}, "stop"), {**COUNTS, "usage": {**USAGE, "completion_tokens": 1}}])),
    Case("the model only thinks", "format", rows(lambda a: [
        delta({"reasoning_content": "hm"}), delta({}, "stop")])),
    Case("the model thinks for too long", "format", rows(lambda a: [delta({}, "length"), COUNTS])),
    Case("the model calls with half an object", "format", whole(lambda a: answer(
        a, {"tool_calls": [call(a, function=function(a, '{"command": '))]}))),
    Case("the model is too slow", "late", lambda w, a: slowly(
        w, [delta({"content": "hm"})] * 200, 0.1), agent_seconds=2.0, options=SHORT),
)  # fmt: skip

HANGS = (
    Case("comments for ever", "infra", lambda w, a: (
        w.head(Content_Type="text/event-stream"), w.for_ever(KEEP), None)[-1]),
    Case("empty rows for ever", "infra", hangs_after(
        0, b'data: {"choices": [{"index": 0, "delta": {}}]}\n\n')),
    Case("no bytes", "infra", never),
    Case("headers without end", "infra", headers_for_ever),
    Case("a body without end, a byte at a time", "infra", trickle),
    Case("silence in the middle of a reply", "infra", hangs_after(3)),
    Case("comments in the middle of a reply", "infra", hangs_after(3, KEEP)),
    Case("an error whose text never ends", "infra", lambda w, a: (
        w.head(503, length=NONE), w.for_ever(b"x"), None)[-1]),
    Case("comments for ever, and no time", "infra", lambda w, a: (
        w.head(Content_Type="text/event-stream"), w.for_ever(KEEP), None)[-1],
        agent_seconds=2.0, options=SHORT),
    Case("silence in the middle of a reply, and no time", "infra", hangs_after(3),
         agent_seconds=2.0, options=SHORT),
    Case("silence from the second reply on, and no time", "infra",
         first(rows(good), never), agent_seconds=3.0, options=SHORT),
    Case("silence once, then a reply", "solved", first(never)),
)  # fmt: skip

CASES = (*GOOD, *CALLS, *STRICT, *REFUSES, *WAITS, *FULL, *FAULTS, *MODELS, *HANGS)
