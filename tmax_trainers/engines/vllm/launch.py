"""Start a vLLM server with the flags that exact training needs, and wait for it.

The server gets our plugin as a directory on its path, because this package may be absent there.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tmax_gym.errors import EngineError
from tmax_trainers.engines.vllm import plugin
from tmax_trainers.engines.vllm.control import Control

READY = 600.0
"""Seconds for a server to answer: 36 s eager on a CPU, minutes if kernels are compiled."""
_TAIL = 4000


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """The options of a server."""

    model: str
    """A directory or a name of the hub."""
    python: str = sys.executable
    """Python interpreter with vLLM."""
    host: str = "127.0.0.1"
    port: int = 8000
    """0 takes a free one."""
    dtype: str = "auto"
    max_model_len: int | None = None
    fp32_head: bool = True
    """Logits in float32, as in TMax's appendix on the trainer-sampler gap."""
    transfer: str = plugin.NAME
    """`tmax_files` (one machine) or one of vLLM's own, such as `nccl`."""
    more: tuple[str, ...] = ()
    """Further arguments of vLLM's server."""


def command(options: ServerOptions) -> list[str]:
    """Return the command that starts the server.

    It names the module, because the program `vllm` needs a distribution called vllm, which a CPU
    build is not.
    """
    words = [options.python, "-m", "vllm.entrypoints.openai.api_server"]
    words += ["--model", options.model, "--host", options.host, "--port", str(options.port)]
    words += ["--dtype", options.dtype, "--logprobs-mode", "processed_logprobs"]
    # A checkpoint's recommended settings (top_k, temperature) would change the distribution.
    words += ["--generation-config", "vllm", "--enable-scale-out"]
    words += ["--weight-transfer-config", json.dumps({"backend": options.transfer})]
    if options.max_model_len is not None:
        words += ["--max-model-len", str(options.max_model_len)]
    if options.fp32_head:
        words += ["--hf-overrides", json.dumps({"head_dtype": "float32"})]
    return [*words, *options.more]


class Server:
    """A server process; a context manager.

    Args:
        options: What to serve.
        log: Its log file; a temporary file by default.

    Raises:
        EngineError: It ended before it answered, or did not answer in time.
    """

    def __init__(
        self, options: ServerOptions, *, log: Path | None = None, ready: float = READY
    ) -> None:
        options = options if options.port else _on_a_free_port(options)
        self._home = Path(tempfile.mkdtemp(prefix="tmax-vllm-"))
        self.log = log or self._home / "server.log"
        self.url = f"http://{options.host}:{options.port}"
        with self.log.open("ab") as out:
            self._process = subprocess.Popen(
                command(options), stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                env=environment(self._home), start_new_session=True,
            )  # fmt: skip
        try:
            Control(self.url).wait(ready, alive=self._alive)
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """Return the process id."""
        return self._process.pid

    def wait(self) -> int:
        """Wait until the server has ended; return its exit status."""
        return self._process.wait()

    def close(self) -> None:
        """End the server and all processes that it started."""
        for sign, patience in ((signal.SIGTERM, 20.0), (signal.SIGKILL, 20.0)):
            try:
                os.killpg(self._process.pid, sign)
            except ProcessLookupError:
                break
            try:
                self._process.wait(patience)
            except subprocess.TimeoutExpired:
                continue
        self._process.wait()
        shutil.rmtree(self._home, ignore_errors=True)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _alive(self) -> None:
        if (status := self._process.poll()) is not None:
            tail = self.log.read_bytes()[-_TAIL:].decode("utf-8", "replace")
            raise EngineError(
                f"the vLLM server ended with status {status} before it answered:\n{tail}\n"
                "Is vLLM installed for that interpreter? (--python names another one)"
            )


def environment(home: Path) -> dict[str, str]:
    """Return the server's environment variables, with the plugin on its path.

    Args:
        home: A directory that exists as long as the server.
    """
    variables = dict(os.environ)
    paths: Sequence[str] = (str(_plugin_directory(home)), variables.get("PYTHONPATH", ""))
    variables["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    variables["VLLM_SERVER_DEV_MODE"] = "1"  # enables pause, resume and weight updates
    variables.setdefault("VLLM_CPU_KVCACHE_SPACE", "2")  # GiB; the default is half of the memory
    variables.setdefault("VLLM_NO_USAGE_STATS", "1")
    return variables


def _plugin_directory(home: Path) -> Path:
    """Return a directory that looks like an installed distribution with our plugin."""
    place = home / "plugin"
    meta = place / "tmax_vllm_plugin-1.dist-info"
    meta.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(plugin.__file__, place / "tmax_vllm_plugin.py")
    (meta / "METADATA").write_text("Metadata-Version: 2.1\nName: tmax-vllm-plugin\nVersion: 1\n")
    (meta / "entry_points.txt").write_text(
        f"[vllm.general_plugins]\n{plugin.NAME} = tmax_vllm_plugin:register\n"
    )
    return place


def _on_a_free_port(options: ServerOptions) -> ServerOptions:
    with socket.socket() as probe:
        probe.bind((options.host, 0))
        return replace(options, port=int(probe.getsockname()[1]))
