"""Requests to the API of a cluster, with its errors as `SandboxError`.

Requests that may succeed later (a busy server, a lost connection) are repeated for some seconds;
each of them can be repeated without harm.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from tmax_gym.errors import SandboxError
from tmax_gym.sandboxes.kubernetes import manifest
from tmax_gym.sandboxes.kubernetes.settings import Settings

T = TypeVar("T")
_TIMEOUT = (10.0, 30.0)
"""Seconds to connect and to answer."""
PING = (2.0, 5.0)
_PAUSES = (0.2, 0.5, 1.0, 2.0, 4.0)
"""Seconds between repetitions; a server that is busy may name others, of which `_LONGEST` count."""
_LONGEST = 10.0
_PASSING = frozenset((429, 500, 502, 503, 504))
"""Statuses after which a request may succeed if it is repeated."""
_BUSY = frozenset((429, 502, 503, 504))
"""The same for programs: 500 tells that one could not be started, and why."""
_GONE = 410
"""A watch that is too old."""
_HANDSHAKE = re.compile(r"Handshake status (\d{3}).*-\+-\+- (.*)", re.DOTALL)
"""What `websocket-client` says about an answer that opens no websocket: status and body."""


class Cluster:
    """A connection to one cluster and namespace; safe to use from any thread."""

    def __init__(self, settings: Settings) -> None:
        """Read the configuration; nothing is contacted yet.

        Raises:
            SandboxError: There is no configuration, or it cannot be read.
        """
        from kubernetes import client

        self._settings = settings
        self._configuration = _configuration(settings)
        api = client.ApiClient(self._configuration)
        self._core = client.CoreV1Api(api)
        self._custom = client.CustomObjectsApi(api)
        self._api = api
        self._local = threading.local()
        self.address = str(self._configuration.host)

    def check(self) -> None:
        """Raise `SandboxError` if sandboxes cannot be listed here, with what is missing."""
        with self.errors("listing sandboxes"):
            self._list("", limit=1, timeout=PING)

    def create(self, body: dict[str, Any]) -> None:
        """Create a resource."""
        from kubernetes.client.exceptions import ConflictException

        attempts = itertools.count()

        def request() -> None:
            repeated = next(attempts) > 0
            try:
                self._custom.create_namespaced_custom_object(
                    *self._place(), body=body, _request_timeout=_TIMEOUT
                )
            except ConflictException:
                if not repeated:  # else the answer before was lost: the name is ours alone
                    raise

        self._repeated(f"creating {body['metadata']['name']}", request)

    def delete(self, name: str) -> None:
        """Have a resource and its pod deleted; nothing if it is gone already."""
        from kubernetes.client.exceptions import NotFoundException

        def request() -> None:
            with contextlib.suppress(NotFoundException):
                self._custom.delete_namespaced_custom_object(
                    *self._place(), name=name, propagation_policy="Background",
                    _request_timeout=_TIMEOUT,
                )  # fmt: skip

        self._repeated(f"deleting {name}", request)

    def owned(self) -> dict[str, str]:
        """Return the resources of this library in the namespace, with the label of each owner."""
        listed = self._repeated(
            "listing sandboxes", lambda: self._list(f"{manifest.OWNED}={manifest.BY}")
        )
        heads = [item["metadata"] for item in listed.get("items") or ()]
        return {head["name"]: head.get("labels", {}).get(manifest.OWNER, "") for head in heads}

    def pod(self, name: str) -> dict[str, Any] | None:
        """Return a pod; None if there is none."""
        from kubernetes.client.exceptions import NotFoundException

        def request() -> dict[str, Any] | None:
            try:
                answer = self._core.read_namespaced_pod(
                    name, self._settings.namespace, _request_timeout=_TIMEOUT
                )
            except NotFoundException:
                return None
            found: dict[str, Any] = self._api.sanitize_for_serialization(answer)
            return found

        return self._repeated(f"looking at pod {name}", request)

    def conditions(self, name: str) -> str:
        """Return what agent-sandbox says about a resource, in a line."""
        found = self._repeated(
            f"looking at {name}",
            lambda: self._custom.get_namespaced_custom_object(
                *self._place(), name=name, _request_timeout=_TIMEOUT
            ),
        )
        told = (found.get("status") or {}).get("conditions") or ()
        return "; ".join(f"{each.get('reason')}: {each.get('message')}" for each in told)

    def changes(self, name: str, seconds: float) -> Iterator[dict[str, Any]]:
        """Yield a pod at first, if it exists, and whenever it changes, for so long.

        It ends early if the cluster does not answer for a moment: watch again.
        """
        import urllib3.exceptions
        from kubernetes import watch
        from kubernetes.client.exceptions import ApiException

        watching = watch.Watch()
        try:
            for event in watching.stream(
                self._core.list_namespaced_pod,
                self._settings.namespace,
                field_selector=f"metadata.name={name}",
                timeout_seconds=max(1, int(seconds)),
                _request_timeout=(_TIMEOUT[0], seconds + 5),
            ):
                if isinstance(event, dict) and isinstance(event.get("raw_object"), dict):
                    yield event["raw_object"]
        except ApiException as error:
            if error.status not in _PASSING | {_GONE}:
                raise self._failure(f"watching pod {name}", error) from error
        except (urllib3.exceptions.HTTPError, OSError):
            pass
        finally:
            watching.stop()

    def attach(self, name: str) -> Any:
        """Return a `WSClient` at the first process of a pod."""
        return self._repeated(
            f"attaching to pod {name}",
            lambda: self._stream("connect_get_namespaced_pod_attach", name, tty=False),
            passing=_BUSY,
        )

    def execute(self, name: str, command: Sequence[str], *, tty: bool) -> Any:
        """Return a `WSClient` at a new program in a pod."""
        words = list(command)
        return self._repeated(
            f"starting a program in pod {name}",
            lambda: self._stream("connect_get_namespaced_pod_exec", name, tty=tty, command=words),
            passing=_BUSY,
        )

    def close(self) -> None:
        """Close idle connections."""
        self._api.close()

    @contextmanager
    def errors(self, action: str) -> Iterator[None]:
        """Turn the client's exceptions into `SandboxError`."""
        import urllib3.exceptions
        from kubernetes.client.exceptions import ApiException

        try:
            yield
        except (ApiException, urllib3.exceptions.HTTPError, OSError) as error:
            raise self._failure(action, error) from error

    def _failure(self, action: str, error: Exception) -> SandboxError:
        status = _status(error)
        if not status:
            told = getattr(error, "reason", "") or error
            return SandboxError(f"{action}: no answer from {self.address}: {told}")
        return SandboxError(
            f"{action}: the cluster at {self.address} answered {status} "
            f"{_told(error)}{_REMEDIES.get(status, '')}"
        )

    def _list(
        self, selector: str, *, limit: int | None = None, timeout: tuple[float, float] = _TIMEOUT
    ) -> dict[str, Any]:
        listed: dict[str, Any] = self._custom.list_namespaced_custom_object(
            *self._place(), label_selector=selector, limit=limit, _request_timeout=timeout
        )
        return listed

    def _place(self) -> tuple[str, str, str, str]:
        return manifest.GROUP, manifest.VERSION, self._settings.namespace, manifest.PLURAL

    def _repeated(
        self, action: str, request: Callable[[], T], *, passing: frozenset[int] = _PASSING
    ) -> T:
        """Return what a request returns, repeated after these statuses.

        A request that may start a program is not repeated without an answer: it may run already.
        """
        import urllib3.exceptions
        from kubernetes.client.exceptions import ApiException

        for pause in _PAUSES:
            try:
                return request()
            except ApiException as error:
                if _status(error) not in passing:
                    raise self._failure(action, error) from error
                time.sleep(_asked_pause(error) or pause)
            except (urllib3.exceptions.HTTPError, OSError) as error:
                if passing is _BUSY:
                    raise self._failure(action, error) from error
                time.sleep(pause)
        with self.errors(action):
            return request()

    def _stream(self, method: str, name: str, **options: Any) -> Any:
        """Connect; the client's own call changes the object that it is called on."""
        import websocket
        from kubernetes import client
        from kubernetes.stream import stream

        if websocket.getdefaulttimeout() is None:  # the client has no way to give one
            websocket.setdefaulttimeout(_TIMEOUT[1])
        if not hasattr(self._local, "core"):
            self._local.core = client.CoreV1Api(client.ApiClient(self._configuration))
        tty = options["tty"]
        return stream(
            getattr(self._local.core, method), name, self._settings.namespace,
            container=manifest.CONTAINER, stdin=True, stdout=True, stderr=not tty,
            binary=True, _preload_content=False, **options,
        )  # fmt: skip


_REMEDIES = {
    404: ". Is agent-sandbox installed (its resource is sandboxes.agents.x-k8s.io)?",
    401: ". Log in again: the credentials of this configuration are refused",
    403: ". `tmax fleet kubernetes sandboxes` prints the rights that are needed",
}


def _told(error: Any) -> str:
    """Return the message of an answer."""
    shaken = _HANDSHAKE.match(str(error.reason))
    try:
        return str(json.loads(shaken[2] if shaken else error.body)["message"])
    except (TypeError, ValueError, KeyError):
        return str(error.reason or error.body or "")


def _status(error: Exception) -> int:
    """Return the status of an answer; 0 if there was none."""
    shaken = _HANDSHAKE.match(str(getattr(error, "reason", "")))
    return int(shaken[1]) if shaken else int(getattr(error, "status", 0) or 0)


def _asked_pause(error: Any) -> float:
    """Return the seconds that a busy server asks for; 0 if it asks for none."""
    asked = (error.headers or {}).get("Retry-After", "")
    return min(float(asked), _LONGEST) if asked.isdigit() else 0.0


def _configuration(settings: Settings) -> Any:
    from kubernetes import client, config

    configuration = client.Configuration()
    configuration.connection_pool_maxsize = 64
    inside = "KUBERNETES_SERVICE_HOST" in os.environ
    try:
        if inside and not settings.context and "KUBECONFIG" not in os.environ:
            config.load_incluster_config(client_configuration=configuration)
        else:
            config.load_kube_config(
                config_file=os.environ.get("KUBECONFIG"),  # the client reads it once, when imported
                context=settings.context or None,
                client_configuration=configuration,
            )
    except (config.ConfigException, OSError) as error:
        raise SandboxError(
            f"no cluster is configured: {error}. Set KUBECONFIG, or run in a pod with a service "
            "account"
        ) from error
    return configuration
