"""Driver: starts a service as `nobody`, holds a scripted conversation, reports the replies.

Reads one JSON object from standard input: {"start", "script": [...], "timeout", "ready",
"cap"}.  Writes one JSON line: a list of {"status", "headers", "body", "error"}.  Speaks HTTP,
TCP and UDP to 127.0.0.1.
"""

import base64
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time

NOBODY = 65534


def demote():
    """Become `nobody` in a session of its own."""
    os.setsid()
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def start(path):
    """Start the service's script; return the process."""
    return subprocess.Popen(
        ["/bin/bash", path],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=demote,
        cwd=os.path.dirname(path),
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8"},
    )


def end_all():
    """Kill every process of `nobody`."""
    for _ in range(200):
        left = 0
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/status") as status:
                    lines = dict(line.split(":", 1) for line in status if ":" in line)
                if int(lines["Uid"].split()[0]) == NOBODY and lines["State"].strip()[0] not in "ZX":
                    left += 1
                    os.kill(int(pid), signal.SIGKILL)
            except (OSError, KeyError):
                continue
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
        if not left:
            return
        time.sleep(0.005)


def wait_ready(ports, seconds):
    """Wait until every TCP port accepts a connection, at most `seconds` in all."""
    deadline = time.monotonic() + seconds
    for port in ports:
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=0.5).close()
                break
            except OSError:
                time.sleep(0.02)


def speak_http(step, timeout, cap):
    """Hold one HTTP exchange on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", step["port"], timeout=timeout)
    try:
        body = base64.b64decode(step["send"]) or None
        connection.request(step["method"], step["target"], body, dict(step["headers"]))
        answer = connection.getresponse()
        data = answer.read(cap)
        headers = [[k.lower(), v] for k, v in answer.getheaders()]
        return answer.status, headers, data
    finally:
        connection.close()


def speak_tcp(step, timeout, cap, open_connections):
    """Send bytes and read up to the mark, on a named connection where there is a name."""
    name = step["connection"]
    link = open_connections.get(name) if name else None
    if link is None:
        link = socket.create_connection(("127.0.0.1", step["port"]), timeout=timeout)
        if name:
            open_connections[name] = link
    link.settimeout(timeout)
    if step["send"]:
        link.sendall(base64.b64decode(step["send"]))
    until, data = base64.b64decode(step["until"]), b""
    while len(data) < cap and not (until and data.endswith(until)):
        chunk = link.recv(1 if until else 65536)
        if not chunk:
            break
        data += chunk
    if not name:
        link.close()
    return 0, [], data


def speak_udp(step, timeout, cap):
    """Send one datagram and wait for one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        link.settimeout(timeout)
        link.sendto(base64.b64decode(step["send"]), ("127.0.0.1", step["port"]))
        return 0, [], link.recvfrom(min(cap, 65535))[0]


def main():
    """Serve one request."""
    job = json.load(sys.stdin)
    ports = sorted({s["port"] for s in job["script"] if s["protocol"] in ("http", "tcp")})
    open_connections, replies = {}, []
    start(job["start"])
    wait_ready(ports, job["ready"])
    for step in job["script"]:
        reply = {"status": 0, "headers": [], "body": "", "error": ""}
        try:
            if step["protocol"] == "restart":
                for link in open_connections.values():
                    link.close()
                open_connections.clear()
                end_all()
                start(job["start"])
                wait_ready(ports, job["ready"])
            else:
                if step["protocol"] == "http":
                    found = speak_http(step, job["timeout"], job["cap"])
                elif step["protocol"] == "tcp":
                    found = speak_tcp(step, job["timeout"], job["cap"], open_connections)
                else:
                    found = speak_udp(step, job["timeout"], job["cap"])
                reply["status"], reply["headers"] = found[0], found[1]
                reply["body"] = base64.b64encode(found[2]).decode()
        except (OSError, http.client.HTTPException, ValueError) as error:
            reply["error"] = f"{type(error).__name__}: {error}"
        replies.append(reply)
    end_all()
    json.dump(replies, sys.stdout)


main()
