"""Real vLLM servers: exact tokens, and weights that are replaced while turns are in flight.

The servers run where `TMAX_VLLM_ENV` names an environment with vLLM (`.ci/vllm` makes one);
reading answers, command lines and failures of a server are tested everywhere.
"""

import json
import os
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import groupby, pairwise
from pathlib import Path
from urllib.request import urlopen

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")
transformers = pytest.importorskip("transformers", reason="needs the train extra")

from tmax_gym.errors import EngineError  # noqa: E402
from tmax_trainers.engines import Completion, Request  # noqa: E402
from tmax_trainers.engines.vllm.client import from_tokens  # noqa: E402
from tmax_trainers.engines.vllm.control import number  # noqa: E402
from tmax_trainers.engines.vllm.files import written  # noqa: E402
from tmax_trainers.engines.vllm.fleet import Fleet  # noqa: E402
from tmax_trainers.engines.vllm.http import Refused, call  # noqa: E402
from tmax_trainers.engines.vllm.launch import (  # noqa: E402
    Server,
    ServerOptions,
    command,
    environment,
)

HOME = os.environ.get("TMAX_VLLM_ENV", "")
needs_vllm = pytest.mark.skipif(not HOME, reason="TMAX_VLLM_ENV names no environment with vLLM")
PROMPT = tuple(range(5, 25))
LENGTHS = (400, 1200)
"""Tokens of a turn during which two updates must land, in each attempt."""
BETWEEN = 60
"""Tokens that all turns together sample between two updates."""


def hybrid(directory: Path) -> torch.nn.Module:
    """Write a small Qwen3.5 with six recurrent layers and two attention layers.

    It has 35 million parameters, because vLLM samples a tiny one faster than its front end answers.
    """
    torch.manual_seed(0)
    config = transformers.Qwen3_5TextConfig(
        vocab_size=512, hidden_size=512, intermediate_size=2048, num_hidden_layers=8,
        num_attention_heads=8, num_key_value_heads=2, head_dim=64, linear_num_key_heads=4,
        linear_num_value_heads=4, linear_key_head_dim=64, linear_value_head_dim=64,
        max_position_embeddings=4096, tie_word_embeddings=False, dtype="bfloat16",
    )  # fmt: skip
    model = transformers.Qwen3_5ForCausalLM(config).to(torch.bfloat16)
    model.save_pretrained(directory)
    return model


def smollm2(directory: Path) -> torch.nn.Module:
    """Link the real small model."""
    directory.symlink_to(Path(HOME) / "smollm2")
    return transformers.AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32)


@pytest.fixture(scope="module", params=[hybrid, smollm2])
def served(request, tmp_path_factory) -> Iterator[tuple[Fleet, torch.nn.Module, dict]]:
    """A server, the trainer's copy of its model, and the initial weights."""
    make_model = request.param
    directory = tmp_path_factory.mktemp("vllm") / make_model.__name__
    model = make_model(directory)
    more = ("--enforce-eager", "--max-num-seqs", "8")
    more += ("--skip-tokenizer-init",) if make_model is hybrid else ()
    options = ServerOptions(
        str(directory), python=f"{HOME}/bin/python", port=0,
        dtype=str(model.dtype).removeprefix("torch."), max_model_len=4096, more=more,
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        if (os.cpu_count() or 1) > 1:  # one core stays free for the front end and this test
            patch.setenv("VLLM_CPU_NUM_OF_RESERVED_CPU", "1")
        with Server(options) as server, Fleet([server.url]) as engine:
            born = {name: one.detach().clone() for name, one in model.named_parameters()}
            yield engine, model, born


def shaken(model: torch.nn.Module, born: dict[str, torch.Tensor], seed: int) -> None:
    """Give the model weights near its initial ones: one tensor in nine differs.

    The first is the embeddings; SmolLM2's head shares them.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in list(model.named_parameters())[::9]:
            noise = torch.randn(parameter.shape, generator=generator) * born[name].std() / 10
            parameter.copy_(born[name] + noise.to(parameter.dtype))


def made_here(model: torch.nn.Module) -> bool:
    """Return whether this is the model without a tokenizer."""
    return model.config.vocab_size == 512


def rounding(model: torch.nn.Module) -> float:
    """Return the tolerance for two orders of summation: 0.009 was measured in bfloat16."""
    return 0.05 if model.dtype == torch.bfloat16 else 1e-3


def drawn(engine: Fleet) -> float:
    """Return the number of tokens that the server has sampled since it started."""
    with urlopen(f"{engine.servers[0].control.url}/metrics", timeout=60) as answer:
        text = answer.read().decode()
    return sum(float(n) for n in re.findall(r"(?m)^vllm:generation_tokens_total\S* (\S+)$", text))


def taught(model: torch.nn.Module, ids: tuple[int, ...], prompt: int) -> torch.Tensor:
    """Log-probabilities of `ids[prompt:]` in one full pass, logits in float32."""
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0, prompt - 1 : -1].float()
    return torch.log_softmax(logits, -1).gather(1, torch.tensor(ids[prompt:])[:, None])[:, 0]


@needs_vllm
@pytest.mark.timeout(600)
def test_sampled_logprobs_are_those_of_the_trainers_model(served):
    engine, model, _ = served
    completion = engine.generate([Request(PROMPT, 24, seed=1)])[0]
    again = taught(model, PROMPT + completion.ids, len(PROMPT))
    assert (again - torch.tensor(completion.logprobs)).abs().mean() < rounding(model)
    assert len(completion.ids) == 24 and completion.finish_reason == "length"


@needs_vllm
@pytest.mark.timeout(600)
def test_a_stop_token_ends_the_turn_and_is_its_last_token(served):
    engine, _, _ = served
    free = engine.generate([Request(PROMPT, 8, seed=1, temperature=0.0)])[0]
    stop = free.ids[3]
    completion = engine.generate([Request(PROMPT, 8, seed=1, temperature=0.0, stop_ids=(stop,))])[0]
    assert completion.finish_reason == "stop"
    assert completion.ids == free.ids[: free.ids.index(stop) + 1]
    assert set(completion.logprobs) == {0.0}


@needs_vllm
def test_a_prompt_that_fills_the_context_ends_at_its_length(served):
    engine, _, _ = served
    completion = engine.generate([Request((7,) * engine.max_length, 8, seed=1)])[0]
    assert (completion.ids, completion.finish_reason) == ((), "length")


def overtaken(
    engine: Fleet, weights: list[dict[str, torch.Tensor]], *, length: int
) -> list[Completion]:
    """Return three turns that began together; the weights are replaced while they run."""
    requests = [Request((*PROMPT, i), length, seed=i, episode=str(i)) for i in range(3)]
    with ThreadPoolExecutor(3) as threads:
        turns = [threads.submit(engine.generate, [one]) for one in requests]
        for new in weights:
            before = drawn(engine)
            while drawn(engine) < before + BETWEEN and not any(turn.done() for turn in turns):
                threading.Event().wait(0.01)
            # Writing the weights takes seconds while the model samples on the same cores.
            engine.servers[0].control.pause()
            engine.update(new.items(), engine.version + 1)
        return [turn.result()[0] for turn in turns]


@needs_vllm
@pytest.mark.timeout(600)
def test_turns_in_flight_go_on_with_new_weights_and_record_their_versions(served):
    engine, model, born = served
    # The first update of all sets the transfer up, which takes longer than a turn.
    engine.update(model.named_parameters(), engine.version + 1)
    weights = []  # before the turns begin, so that they wait for the update alone
    for seed in (1, 2):
        shaken(model, born, seed)
        weights.append({name: one.detach().clone() for name, one in model.named_parameters()})
    for length in LENGTHS:
        begun = engine.version
        completions = overtaken(engine, weights, length=length)
        spans = [[version for version, _ in groupby(one.versions)] for one in completions]
        assert all(len(one.versions) == len(one.ids) == length for one in completions)
        assert all(span == sorted(set(span)) for span in spans), "versions only grow"
        assert all(begun <= span[0] and span[-1] <= engine.version for span in spans)
        if max(len(span) for span in spans) >= 3:
            return
    pytest.fail(f"no two updates landed within a turn: {spans}")


@needs_vllm
@pytest.mark.timeout(600)
def test_after_an_update_a_turn_is_sampled_from_the_new_weights_alone(served):
    engine, model, born = served
    engine.generate([Request(PROMPT, 4, seed=1)])  # leaves keys and values of the old weights
    shaken(model, born, 1000)
    engine.update(model.named_parameters(), engine.version + 1)
    completion = engine.generate([Request(PROMPT, 24, seed=2)])[0]
    again = taught(model, PROMPT + completion.ids, len(PROMPT))
    gap = (again - torch.tensor(completion.logprobs)).abs().mean()
    shaken(model, born, 2000)  # as far away as the weights that were replaced
    elsewhere = taught(model, PROMPT + completion.ids, len(PROMPT))
    assert set(completion.versions) == {engine.version} == {engine.servers[0].control.version()}
    assert gap < rounding(model)
    assert gap < (elsewhere - torch.tensor(completion.logprobs)).abs().mean() / 2


@needs_vllm
@pytest.mark.timeout(600)
def test_the_completions_endpoint_is_used_if_the_token_endpoint_is_absent(served):
    engine, model, _ = served
    if made_here(model):
        pytest.skip("vLLM answers there only with a tokenizer, which a model at birth has not")
    older = Fleet([engine.servers[0].control.url])
    older.servers[0]._tokens = False
    asked = Request(PROMPT, 6, seed=1, temperature=0.0)
    assert older.generate([asked])[0] == engine.generate([asked])[0]


@needs_vllm
@pytest.mark.timeout(600)
def test_a_fleet_updates_and_samples_like_one_engine(served):
    engine, model, _ = served
    fleet = Fleet([engine.servers[0].control.url])
    fleet.update(model.named_parameters(), engine.version + 1)
    engine.stamp(fleet.version)
    requests = [Request(PROMPT, 6, seed=1, temperature=0.0, episode=name) for name in "abcd"]
    completions = fleet.generate(requests)
    assert {one.ids for one in completions} == {engine.generate(requests[:1])[0].ids}
    assert {v for one in completions for v in one.versions} == {engine.version}


# -- without a vLLM server


@pytest.fixture
def answering() -> Iterator[tuple[str, list[tuple[int, object]], list[str]]]:
    """A real HTTP server that gives the listed answers in order, and records the paths."""
    answers: list[tuple[int, object]] = []
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.do_GET()

        def do_GET(self) -> None:
            asked.append(self.path)
            status, body = answers.pop(0) if answers else (404, {})
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", answers, asked
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_busy_server_is_asked_again(answering):
    url, answers, asked = answering
    answers += [(503, {}), (200, {"ok": 1})]
    assert call(f"{url}/x", {}, timeout=30) == {"ok": 1}
    assert asked == ["/x", "/x"]


def test_a_refusal_is_quoted_and_not_repeated(answering):
    url, answers, asked = answering
    answers.append((400, {"error": "too long"}))
    with pytest.raises(Refused, match=r"answered with 400.*too long"):
        call(f"{url}/x", {}, timeout=30)
    assert asked == ["/x"]


def test_an_absent_server_is_named():
    with pytest.raises(EngineError, match="still running"):
        call("http://127.0.0.1:9/x", {}, timeout=5, tries=1)


def test_a_failed_update_leaves_the_server_paused(answering):
    url, answers, asked = answering
    answers += [(200, {"data": [{"max_model_len": 64, "id": "m"}]}), (200, {"weight_version": ""})]
    engine = Fleet([url])
    answers += [(200, {}), (200, {}), (500, {"error": "no memory"})]
    with pytest.raises(EngineError, match="no memory"):
        engine.update([("w", torch.zeros(2))], 1)
    assert engine.version == 0
    assert asked[-1] == "/update_weights" and "/resume" not in asked


def test_turns_of_an_episode_stay_on_their_server_and_new_ones_go_where_it_is_idle(answering):
    url, answers, _ = answering
    ready = [(200, {"data": [{"max_model_len": 64, "id": "m"}]}), (200, {"weight_version": "4"})]
    answers += ready * 2
    fleet = Fleet([url, url])
    assert fleet.version == 4
    assert [fleet._home(name) for name in ("a", "b", "a", "b", "c")] == [0, 1, 0, 1, 0]


def test_a_fleet_without_servers_is_refused():
    with pytest.raises(EngineError, match="tmax serve"):
        Fleet([])


def choice(*, ids, spans, finish="stop", others=None):
    content = [{"token_id": i, "logprob": -0.5} for i in (others or ids)]
    return {
        "token_ids": ids,
        "logprobs": {"content": content},
        "weight_versions": [dict(zip(("version", "start", "end"), s, strict=True)) for s in spans],
        "finish_reason": finish,
    }


def test_spans_of_versions_become_a_version_for_each_token():
    answer = choice(ids=[4, 5, 6, 7], spans=[("default", 0, 1), ("3", 1, 4)])
    completion = from_tokens(answer, Request((1,), 8, seed=0))
    assert completion.versions == (0, 3, 3, 3)
    assert (completion.ids, completion.finish_reason) == ((4, 5, 6, 7), "stop")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (choice(ids=[4, 5], spans=[("1", 0, 1)]), "weight versions"),
        (choice(ids=[4, 5], spans=[("1", 1, 2)]), "gap at token 0"),
        (choice(ids=[4, 5], spans=[("1", 0, 2)], others=[4, 9]), "log-probabilities"),
        (choice(ids=[4, 5], spans=[("1", 0, 2)], finish="abort"), "ended by the server"),
    ],
)
def test_an_answer_that_contradicts_itself_is_refused(answer, message):
    with pytest.raises(EngineError, match=message):
        from_tokens(answer, Request((1,), 8, seed=0))


def test_weights_arrive_in_the_file_as_they_were_and_leave_nothing(tmp_path):
    from safetensors.torch import load_file

    tied = torch.arange(6.0).reshape(2, 3)
    with written([("a", tied), ("b", tied.T)], directory=tmp_path, dtype=torch.bfloat16) as file:
        read = load_file(file)
    assert torch.equal(read["a"].float(), tied) and torch.equal(read["b"].float(), tied.T)
    assert not list(tmp_path.iterdir())


def test_a_label_that_is_not_a_number_is_version_zero():
    assert [number(label) for label in (None, "", "default", "7")] == [0, 0, 0, 7]


def test_the_command_line_has_the_flags_that_exact_training_needs():
    words = command(ServerOptions("m", python="py", more=("--enforce-eager",)))
    assert words[:3] == ["py", "-m", "vllm.entrypoints.openai.api_server"]
    assert words[-1] == "--enforce-eager"
    options = dict(pairwise(words))
    assert options["--logprobs-mode"] == "processed_logprobs"
    assert json.loads(options["--hf-overrides"]) == {"head_dtype": "float32"}
    assert json.loads(options["--weight-transfer-config"]) == {"backend": "tmax_files"}


def test_the_servers_environment_finds_the_plugin_by_its_entry_point(tmp_path):
    import subprocess
    import sys

    ask = (
        "from importlib.metadata import entry_points as e;"
        "print([p.load().__module__ for p in e(group='vllm.general_plugins')])"
    )
    printed = subprocess.run(
        [sys.executable, "-c", ask], env=environment(tmp_path), capture_output=True, text=True,
        check=True,
    ).stdout  # fmt: skip
    assert "tmax_vllm_plugin" in printed


def test_a_server_that_ends_at_once_is_reported_with_the_end_of_its_log(tmp_path):
    false = tmp_path / "python"
    false.write_text("#!/bin/sh\necho no such module: vllm\nexit 3\n")
    false.chmod(0o755)
    with pytest.raises(EngineError, match=r"(?s)status 3.*no such module"):
        Server(ServerOptions("m", python=str(false), port=0), ready=60)
