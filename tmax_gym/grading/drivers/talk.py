"""Driver: starts a service as `nobody`, sends it scripted requests, reports the replies.

Reads one JSON object from standard input: {"start", "script": [...], "timeout", "ready",
"budget", "stretch", "cap"}.  Writes one JSON line: {"replies": [{"status", "headers", "body",
"error"}], "waited": seconds of waiting for a processor, which no limit counts}.  It uses HTTP, TCP
and UDP to 127.0.0.1.  A step has `timeout` for each of its waits, and twice that in all: a service
may answer a byte at a time.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from binascii import a2b_base64, b2a_base64

TYPE_CHECKING = False
if TYPE_CHECKING:  # 5 ms, which every verification would wait for; `subprocess` takes 10
    from typing import Any

    # These stand before this text where it runs.
    from tmax_gym.grading.drivers.processor import LOOK, Allowance
    from tmax_gym.grading.drivers.programs import (
        ALONE,
        ENVIRONMENT,
        close_up,
        demote,
        end_all,
        running,
    )

    Step = dict[str, Any]
    Heard = tuple[int, list[list[str]], bytes]
    Links = dict[str, socket.socket]


def start(path: str) -> None:
    """Start the service's script; return when it runs as `nobody`."""
    begun, ours = os.pipe()  # both close where the script begins
    if os.fork():
        os.close(ours)
        os.read(begun, 1)
        os.close(begun)
        return
    try:
        null = os.open("/dev/null", os.O_RDWR)
        for fd in range(3):
            os.dup2(null, fd)
        demote()
        os.chdir(os.path.dirname(path))
        os.execve("/bin/bash", ["/bin/bash", path], ENVIRONMENT)
    finally:
        os._exit(127)


def wait_ready(ports: list[int], limit: Allowance) -> None:
    """Wait until every TCP port accepts a connection, or nothing runs that could open one."""
    for port in ports:
        while limit.left() > 0:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=0.5).close()
                break
            except OSError:
                if not running():
                    return
                time.sleep(0.02)


def speak_http(step: Step, clock: Clock, cap: int) -> Heard:
    """Send one HTTP request on a connection of its own; return the response."""
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", step["port"], timeout=clock.longest)
    try:
        body = a2b_base64(step["send"]) or None
        connection.request(step["method"], step["target"], body, dict(step["headers"]))
        clock.next()
        answer = connection.getresponse()
        clock.next()
        data = answer.read(cap)
        headers = [[k.lower(), v] for k, v in answer.getheaders()]
        return answer.status, headers, data
    except http.client.HTTPException as error:
        raise ValueError(f"{type(error).__name__}: {error}") from None
    finally:
        connection.close()


def speak_tcp(step: Step, clock: Clock, cap: int, links: Links) -> Heard:
    """Send bytes and read up to the mark `until`, on a named connection if there is a name."""
    name = step["connection"]
    link = links.get(name) if name else None
    if link is None:
        link = socket.create_connection(("127.0.0.1", step["port"]), timeout=clock.longest)
        if name:
            links[name] = link
    link.settimeout(clock.longest)
    if step["send"]:
        link.sendall(a2b_base64(step["send"]))
    until, data = a2b_base64(step["until"]), b""
    while len(data) < cap and not (until and data.endswith(until)):
        clock.next()
        chunk = link.recv(1 if until else 65536)
        if not chunk:
            break
        data += chunk
    if not name:
        link.close()
    return 0, [], data


def speak_udp(step: Step, clock: Clock, cap: int) -> Heard:
    """Send one datagram and wait for one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        link.settimeout(clock.longest)
        link.sendto(a2b_base64(step["send"]), ("127.0.0.1", step["port"]))
        return 0, [], link.recvfrom(min(cap, 65535))[0]


class Clock:
    """The time limits of one step: of each wait, and of all waits together."""

    def __init__(self, step: Step, job: dict[str, Any], left: float) -> None:
        # A restart waits for the service to be ready.
        ready = job["ready"] if step["protocol"] == "restart" else 0.0
        self._stretch = job["stretch"]
        self._timeout = job["timeout"] + ready
        self.longest: float = self._stretch * self._timeout
        self.all = Allowance(min(2 * job["timeout"] + ready, left), self._stretch)
        self._over = False
        self.next()

    def next(self) -> None:
        """Begin another wait."""
        self._wait = Allowance(self._timeout, self._stretch)

    def ring(self, *_: object) -> None:
        """End a step whose time is over, once."""
        if not self._over and (self._wait.left() <= 0 or self.all.left() <= 0):
            self._over = True
            raise TimeoutError("the step took too long")


def answer(
    step: Step, job: dict[str, Any], links: Links, *, ports: list[int], clock: Clock
) -> Heard:
    """Do one step of the conversation."""
    cap = job["cap"]
    if step["protocol"] == "restart":
        for link in links.values():
            link.close()
        links.clear()
        end_all()
        start(job["start"])
        wait_ready(ports, Allowance(job["ready"], job["stretch"]))
        return 0, [], b""
    if step["protocol"] == "http":
        return speak_http(step, clock, cap)
    if step["protocol"] == "tcp":
        return speak_tcp(step, clock, cap, links)
    return speak_udp(step, clock, cap)


def reply(
    step: Step, job: dict[str, Any], links: Links, *, ports: list[int], clock: Clock
) -> dict[str, Any]:
    """Do one step within its limits; an error becomes part of the reply."""
    row: dict[str, Any] = {"status": 0, "headers": [], "body": "", "error": ""}
    try:
        signal.signal(signal.SIGALRM, clock.ring)
        signal.setitimer(signal.ITIMER_REAL, LOOK, LOOK)
        try:
            status, headers, body = answer(step, job, links, ports=ports, clock=clock)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        text = b2a_base64(body, newline=False).decode()
        row.update(status=status, headers=headers, body=text)
    except Exception as error:  # whatever a service sends, it is the service's fault
        signal.setitimer(signal.ITIMER_REAL, 0)
        row["error"] = f"{type(error).__name__}: {error}"
    return row


def main() -> None:
    """Serve one request."""
    job = json.load(sys.stdin)
    if ALONE:
        close_up()
    ports = sorted({s["port"] for s in job["script"] if s["protocol"] in ("http", "tcp")})
    links: Links = {}
    replies: list[dict[str, Any]] = []
    whole = Allowance(job["budget"], job["stretch"])
    start(job["start"])
    ready = Allowance(min(job["ready"], job["budget"]), job["stretch"])
    wait_ready(ports, ready)
    whole.excuse(ready.waited())
    for step in job["script"]:
        if (left := whole.rest()) <= 0:
            error = "TimeoutError: the time of the conversation is over"
            replies.append({"status": 0, "headers": [], "body": "", "error": error})
            continue
        clock = Clock(step, job, left)
        replies.append(reply(step, job, links, ports=ports, clock=clock))
        whole.excuse(clock.all.waited())
    end_all()
    json.dump({"replies": replies, "waited": whole.waited()}, sys.stdout)


main()
