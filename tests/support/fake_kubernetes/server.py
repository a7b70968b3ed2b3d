"""The server: resources, pods, watches and streams, and its faults."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import ssl
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from aiohttp import web

from tests.support.fake_kubernetes.machine import Machine, own_label
from tests.support.fake_kubernetes.streams import Streams
from tmax_gym.sandboxes import images
from tmax_gym.sandboxes.host import cgroups, cleanup
from tmax_gym.sandboxes.kubernetes.backend import KubernetesBackend
from tmax_gym.sandboxes.kubernetes.settings import Settings

SANDBOXES = "/apis/agents.x-k8s.io/v1beta1/namespaces/{space}/sandboxes"
PODS = "/api/v1/namespaces/{space}/pods"
FIELDS = {"podTemplate", "volumeClaimTemplates", "service", "shutdownTime", "shutdownPolicy",
          "operatingMode"}  # fmt: skip
"""Of a `SandboxSpec`, agents.x-k8s.io/v1beta1."""


@dataclass
class Faults:
    """How the cluster fails; tests set these."""

    answers: list[tuple[str, str, int]] = field(default_factory=list)
    """(method, pattern of the path, status) of the next answers, each used once."""
    lost: list[tuple[str, str]] = field(default_factory=list)
    """(method, pattern) of requests that are done, whose answers are lost."""
    waiting: tuple[str, str] = ("", "")
    """Reason and message of a container that never starts."""
    pending: bool = False
    """No pod is ever given a node."""
    invalid: str = ""
    """Why no pod is made at all."""
    deletion: float = 0.0
    """Seconds that a deletion takes."""
    protocols: tuple[str, ...] = ("v5.channel.k8s.io", "v4.channel.k8s.io")


class Pod:
    """A pod's object, and its machine if it runs."""

    def __init__(self, name: str, sandbox: dict[str, Any]) -> None:
        template = sandbox["spec"]["podTemplate"]
        self.machine: Machine | None = None
        self.streams: Streams | None = None
        self.verdict: dict[str, Any] = {}
        """What is told of its end in place of what happened."""
        self.object: dict[str, Any] = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": name,
                "namespace": sandbox["metadata"]["namespace"],
                "labels": template.get("metadata", {}).get("labels", {}),
                "creationTimestamp": "2026-01-01T00:00:00Z",
            },
            "spec": template["spec"],
            "status": {"phase": "Pending"},
        }


class FakeCluster:
    """A server in a thread; `kubeconfig` is how clients find it."""

    def __init__(self) -> None:
        self.faults = Faults()
        self.sandboxes: dict[str, dict[str, Any]] = {}
        self.pods: dict[str, Pod] = {}
        self.requests: list[tuple[str, str]] = []
        self._directory = tempfile.TemporaryDirectory(prefix="fake-kubernetes-")
        self._watches: list[asyncio.Queue[tuple[str, dict[str, Any]]]] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._numbers = iter(range(1, 1 << 30))
        self._certificate = certificate(Path(self._directory.name))
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        assert self._ready.wait(30)
        self.kubeconfig = Path(self._directory.name, "config")
        self.kubeconfig.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "fake",
            "clusters": [{"name": "fake", "cluster": {
                "server": f"https://127.0.0.1:{self.port}",
                "certificate-authority": str(self._certificate)}}],
            "users": [{"name": "me", "user": {"token": "secret"}}],
            "contexts": [{"name": "fake", "context": {"cluster": "fake", "user": "me"}}],
        }))  # fmt: skip

    def backend(self, **changed: Any) -> KubernetesBackend:
        """Return a new backend for this cluster; its settings can be changed by name."""
        settings = Settings(images="registry.example/tmax/{name}:1", start_seconds=30.0)
        os.environ["KUBECONFIG"] = str(self.kubeconfig)
        try:
            machines = KubernetesBackend(replace(settings, **changed))
            machines.connect()
        finally:
            del os.environ["KUBECONFIG"]
        return machines

    # For tests, from any thread

    def call(self, function: Callable[[], object]) -> None:
        """Run something in the server's thread, and wait."""
        done = threading.Event()
        self._loop.call_soon_threadsafe(lambda: (function(), done.set()))
        assert done.wait(30)

    def cut(self, name: str, kind: str = "exec") -> int:
        """Break the connections to a pod without a word; return how many."""
        streams = self.pods[name].streams
        count = len(streams.open[kind]) if streams else 0
        self.call(lambda: streams and streams.cut(kind))
        return count

    def end(self, name: str, **verdict: Any) -> None:
        """End a pod; what is told of it: `reason`, `message`, or `terminated`."""

        def end() -> None:
            self.pods[name].verdict = verdict
            machine = self.pods[name].machine
            assert machine
            machine.kill()

        self.call(end)

    def close(self) -> None:
        """End every pod and the server."""
        for pod in list(self.pods.values()):
            if pod.machine:
                pod.machine.kill()
                pod.machine.discard()
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join(30)
        self._directory.cleanup()
        for parent in cgroups.layout().directories():
            cleanup.remove(parent / own_label())

    # The server

    def _serve(self) -> None:
        asyncio.run(self._main())

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopped = asyncio.Event()
        application = web.Application(middlewares=[self._faulty])
        add = application.router.add_route
        add("GET", SANDBOXES, self._list_sandboxes)
        add("POST", SANDBOXES, self._create)
        add("GET", SANDBOXES + "/{name}", self._get_sandbox)
        add("DELETE", SANDBOXES + "/{name}", self._delete)
        add("GET", PODS, self._watch)
        add("GET", PODS + "/{name}", self._get_pod)
        add("GET", PODS + "/{name}/{kind:exec|attach}", self._stream)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.5)
        await runner.setup()
        secure = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        secure.load_cert_chain(self._certificate, self._certificate.with_suffix(".key"))
        site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=secure)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
        self._ready.set()
        await self._stopped.wait()
        for task in self._tasks:
            task.cancel()
        await runner.cleanup()

    @web.middleware
    async def _faulty(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.requests.append((request.method, request.path))
        if request.headers.get("Authorization") != "Bearer secret":
            return refusal(401, "Unauthorized")
        for fault in self.faults.answers:
            method, pattern, status = fault
            if method == request.method and re.search(pattern, request.path):
                self.faults.answers.remove(fault)
                return refusal(status, "on demand")
        response: web.StreamResponse = await handler(request)
        for loss in self.faults.lost:
            if loss[0] == request.method and re.search(loss[1], request.path):
                self.faults.lost.remove(loss)
                assert request.transport
                request.transport.abort()
        return response

    async def _list_sandboxes(self, request: web.Request) -> web.Response:
        selector = request.query.get("labelSelector", "")
        wanted = dict(part.split("=", 1) for part in selector.split(",") if part)
        items = [s for s in self.sandboxes.values()
                 if wanted.items() <= s["metadata"].get("labels", {}).items()]  # fmt: skip
        return web.json_response({"apiVersion": "agents.x-k8s.io/v1beta1", "kind": "SandboxList",
                                  "metadata": {}, "items": items})  # fmt: skip

    async def _create(self, request: web.Request) -> web.Response:
        body = await request.json()
        name = body["metadata"]["name"]
        if problem := unacceptable(body):
            return refusal(422, problem)
        if name in self.sandboxes:
            return refusal(409, f'sandboxes "{name}" already exists')
        body["metadata"]["namespace"] = request.match_info["space"]
        self.sandboxes[name] = body
        self._spawn(self._run(name, body))
        left = datetime.fromisoformat(body["spec"]["shutdownTime"]).timestamp() - time.time()
        self._loop.call_later(left, self._remove, name)
        return web.json_response(body, status=201)

    async def _get_sandbox(self, request: web.Request) -> web.Response:
        body = self.sandboxes.get(request.match_info["name"])
        return web.json_response(body) if body else refusal(404, "not found")

    async def _delete(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        if name not in self.sandboxes:
            return refusal(404, f'sandboxes "{name}" not found')
        if self.faults.deletion:
            self._loop.call_later(self.faults.deletion, self._remove, name)
        else:
            self._remove(name)
        return web.json_response({"kind": "Status", "status": "Success"})

    def _remove(self, name: str) -> None:
        self.sandboxes.pop(name, None)
        if pod := self.pods.pop(name, None):
            pod.object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
            if pod.machine:
                pod.machine.kill()
            self._tell("DELETED", pod)

    async def _get_pod(self, request: web.Request) -> web.Response:
        pod = self.pods.get(request.match_info["name"])
        return web.json_response(pod.object) if pod else refusal(404, "pods not found")

    async def _watch(self, request: web.Request) -> web.StreamResponse:
        name = request.query["fieldSelector"].removeprefix("metadata.name=")
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        queue: asyncio.Queue[tuple[str, dict[str, Any]]] = asyncio.Queue()
        if name in self.pods:
            queue.put_nowait(("ADDED", self.pods[name].object))
        self._watches.append(queue)
        deadline = time.monotonic() + float(request.query.get("timeoutSeconds", 60))
        try:
            while (left := deadline - time.monotonic()) > 0:
                kind, pod = await asyncio.wait_for(queue.get(), left)
                if pod["metadata"]["name"] == name:
                    line = json.dumps({"type": kind, "object": pod})
                    await response.write(line.encode() + b"\n")
        except (TimeoutError, ConnectionError):
            pass
        finally:
            self._watches.remove(queue)
        return response

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        pod = self.pods.get(request.match_info["name"])
        if pod is None or pod.streams is None or "running" not in state(pod):
            return refusal(404, "container not found")
        return await pod.streams.serve(request, self.faults.protocols)

    async def _run(self, name: str, sandbox: dict[str, Any]) -> None:
        if self.faults.invalid:
            sandbox["status"] = {"conditions": [
                {"type": "Ready", "status": "False", "reason": "InvalidConfiguration",
                 "message": self.faults.invalid}]}  # fmt: skip
            return
        pod = self.pods[name] = Pod(name, sandbox)
        self._tell("ADDED", pod)
        if self.faults.pending:
            pod.object["status"]["conditions"] = [
                {"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                 "message": "0/3 nodes are available: 3 Insufficient memory."}]  # fmt: skip
            return self._tell("MODIFIED", pod)
        if self.faults.waiting[0]:
            reason, message = self.faults.waiting
            return self._become(pod, "Pending", waiting={"reason": reason, "message": message})
        reference = pod.object["spec"]["containers"][0]["image"]
        image = reference.rpartition("/")[2].partition(":")[0]
        if image not in images.available():
            waiting = {"reason": "ErrImagePull", "message": f"{reference}: not found"}
            return self._become(pod, "Pending", waiting=waiting)
        rootfs = Path(images.resolve(image).trees[0][1][0])
        directory = Path(self._directory.name, name)
        directory.mkdir()
        try:
            machine = await asyncio.to_thread(
                Machine, pod.object["spec"], rootfs=rootfs, directory=directory
            )
        except RuntimeError as error:
            waiting = {"reason": "CreateContainerError", "message": str(error)}
            return self._become(pod, "Pending", waiting=waiting)
        pod.machine, pod.streams = machine, Streams(machine)
        if name not in self.pods:
            machine.kill()
        self._become(pod, "Running", running={"startedAt": "2026-01-01T00:00:00Z"})
        code = await asyncio.to_thread(machine.wait)
        await asyncio.to_thread(machine.discard)
        await pod.streams.ended(code)
        ended = {"exitCode": code, "reason": "Error"}
        for key in ("reason", "message"):
            if key in pod.verdict:
                pod.object["status"][key] = pod.verdict[key]
        self._become(pod, "Failed", terminated={**ended, **pod.verdict.get("terminated", {})})

    def _become(self, pod: Pod, phase: str, **now: dict[str, Any]) -> None:
        pod.object["status"]["phase"] = phase
        pod.object["status"]["containerStatuses"] = [
            {"name": "main", "ready": phase == "Running", "restartCount": 0, "image": "x",
             "imageID": "x", "state": now}]  # fmt: skip
        self._tell("MODIFIED", pod)

    def _tell(self, kind: str, pod: Pod) -> None:
        pod.object["metadata"]["resourceVersion"] = str(next(self._numbers))
        for queue in self._watches:
            queue.put_nowait((kind, json.loads(json.dumps(pod.object))))

    def _spawn(self, work: Any) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def certificate(directory: Path) -> Path:
    """Return a new certificate of 127.0.0.1, which has its key beside it."""
    file = directory / "ca.crt"
    subject = ["-subj", "/CN=fake", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"]
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout"]
    subprocess.run(
        ["openssl", "req", "-x509", *key, str(file.with_suffix(".key")), "-out", str(file),
         *subject],
        check=True, capture_output=True,
    )  # fmt: skip
    return file


def obstacle() -> str:
    """Return why pods cannot run on this host; "" if they can."""
    if os.geteuid() != 0:
        return "pods of the fake cluster need root for their mounts"
    if "core" not in images.available():
        return "pods of the fake cluster need the image core: tmax images build core"
    absent = [name for name in ("unshare", "openssl") if shutil.which(name) is None]
    return f"pods of the fake cluster need {absent}" if absent else ""


def state(pod: Pod) -> dict[str, Any]:
    """Return the state of the agent's container."""
    statuses = pod.object["status"].get("containerStatuses") or [{}]
    found: dict[str, Any] = statuses[0].get("state", {})
    return found


def refusal(status: int, message: str) -> web.Response:
    """Return an answer that is an error, as the API tells one."""
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message,
            "code": status}  # fmt: skip
    headers = {"Retry-After": "1"} if status == 429 else {}
    return web.json_response(body, status=status, headers=headers)


def unacceptable(body: dict[str, Any]) -> str:
    """Return why a `Sandbox` is refused; "" if it is a good one."""
    spec = body.get("spec", {})
    if unknown := sorted(set(spec) - FIELDS):
        return f"unknown fields {unknown}"
    if not spec.get("podTemplate", {}).get("spec", {}).get("containers"):
        return "spec.podTemplate.spec.containers is required"
    if spec.get("shutdownPolicy") not in ("Delete", "Retain"):
        return "spec.shutdownPolicy: Delete or Retain"
    labels = {**body["metadata"]["labels"], **spec["podTemplate"]["metadata"]["labels"]}
    for value in labels.values():
        if not re.fullmatch(r"([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?", value):
            return f"{value!r} is no value of a label"
    return "" if os.fspath(body["metadata"]["name"]).islower() else "metadata.name"
