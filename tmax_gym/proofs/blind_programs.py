"""Hostile deliverables: programs and services that ignore their input, and odd bytes for checks.

Such a program may learn which case runs without reading its input: it counts its runs in files or
in shared memory, or looks at the clock or at its process id.  It answers in every form that
families ask for: an exit status, and a word for each line or argument.  Other attempts leave files
and processes that could make a verifier fail.  Cheats for one family are its `exploits`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from shlex import quote

from tmax_gym.families.contract import Attempt, write_file
from tmax_gym.tasks.compose import Task

TURN = 12
"""Runs after which a program that counts changes its answer: about half of a corpus."""
_PORT = re.compile(r"\b([1-9]\d{3,4})\b")
_EXITS = {
    "count": (
        "n = 0\n"
        "for place in ('/tmp/n', '/var/tmp/n', '/dev/shm/n', os.path.dirname(__file__) + '/n'):\n"
        "    try: n = max(n, int(open(place).read() or 0))\n"
        "    except (OSError, ValueError): pass\n"
        "    try: open(place, 'w').write(str(n + 1))\n"
        "    except OSError: pass\n"
        f"bad = n < {TURN}\n"
    ),
    "clock": "bad = int(time.time() * 1000) % 2\n",
    "process id": "bad = os.getpid() % 2\n",
    "shared memory": (
        "import ctypes\n"
        "c = ctypes.CDLL(None); c.shmat.restype = ctypes.c_void_p\n"
        "n = ctypes.c_int.from_address(c.shmat(c.shmget(99, 64, 0o1666), None, 0)); n.value += 1\n"
        f"bad = n.value <= {TURN}\n"
    ),
}
_PYTHON = """import os, sys, time
{decide}
for _ in range(max(len(sys.argv) - 1, len(sys.stdin.read().splitlines()), 1)):
    print('reject' if bad else 'accept')
sys.exit(1 if bad else 0)
"""
_SHELL = {
    "count": (
        'n=$(cat /tmp/n /var/tmp/n /dev/shm/n "${0%/*}/n" 2> /dev/null | sort -n | tail -n 1)\n'
        'for p in /tmp/n /var/tmp/n /dev/shm/n "${0%/*}/n"; do\n'
        "  echo $((n + 1)) 2> /dev/null > $p\ndone\n"
        f"bad=$((${{n:-0}} < {TURN}))\n"
    ),
    "clock": "bad=$(($(date +%s%N) / 1000000 % 2))\n",
    "process id": "bad=$(($$ % 2))\n",
}
_BASH = """{decide}
for _ in "$@" $(sed 's/.*/x/'); do
  [ "$bad" = 1 ] && echo reject || echo accept
done
exit "$bad"
"""
_C = """#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int main(void) {{
  int bad = 0;
  {decide}
  puts(bad ? "reject" : "accept");
  return bad;
}}
"""
_IN_C = {
    "count": (
        'FILE *f = fopen("/tmp/n", "a+"); int n = 0;\n'
        f"  if (f) {{ while (fgetc(f) != EOF) n++; fputc(46, f); fclose(f); }} bad = n < {TURN};"
    ),
    "clock": (
        "struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); bad = t.tv_nsec / 1000000 % 2;"
    ),
    "process id": "bad = getpid() % 2;",
}
_WAYS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "py": (_PYTHON, _EXITS),
    "sh": (_BASH, _SHELL),
    "": ("#!/bin/bash\n" + _BASH, _SHELL),
    "c": (_C, _IN_C),
    "cpp": (_C, _IN_C),
}
_LEAVES = {
    "py": (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    open('/proc/self/comm', 'wb').write(b'\\xff\\xfe')\n"
        "    os.mkdir(b'/tmp/\\xff')\n"
        "    time.sleep(60)\n"
        "time.sleep(0.05)\n"
    ),
    "sh": (
        "(printf '\\377\\376' > /proc/$BASHPID/comm; mkdir $'/tmp/\\377'; sleep 60) "
        "> /dev/null 2>&1 < /dev/null &\nsleep 0.05\n"
    ),
}
_LEAVES[""] = "#!/bin/bash\n" + _LEAVES["sh"]
_SERVICE = """import http.server, os, sys, threading
seen = 0
class Answer(http.server.BaseHTTPRequestHandler):
    def answer(self):
        global seen
        seen += 1
        self.send_response({status}); self.send_header('Content-Length', '2')
        self.send_header('Content-Type', 'application/json')
        self.end_headers(); self.wfile.write(b'{{}}')
    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = answer
    def log_message(self, *_): pass
for port in {ports}:
    try: server = http.server.ThreadingHTTPServer(('127.0.0.1', port), Answer)
    except OSError: continue
    threading.Thread(target=server.serve_forever).start()
"""
_STATUSES = {"alternates": "(200, 403)[seen % 2]", "counts": "403 if seen <= 8 else 200"}


def attempts(task: Task) -> tuple[Attempt, ...]:
    """Return every hostile agent of this kind for a task, by name."""
    ways = {way for _, decisions in _WAYS.values() for way in decisions}
    programs = [(f"blind program: {way}", _programs(task, way)) for way in sorted(ways)]
    services = [(f"blind service: {way}", _services(task, way)) for way in sorted(_STATUSES)]
    left = (("process of odd bytes", _leaving(task)),)
    return (
        *(Attempt(name, commands) for name, commands in (*programs, *services, *left) if commands),
        Attempt("files of odd bytes", _odd_files(task)),
        *(Attempt(name, _filled(task, text)) for name, text in _CONTENTS.items()),
    )


def _suffix(path: str) -> str:
    return path.rsplit("/", 1)[-1].partition(".")[2]


def _programs(task: Task, way: str) -> tuple[str, ...]:
    commands: list[str] = []
    for path in task.outputs:
        frame, decisions = _WAYS.get(_suffix(path), ("", {}))
        if way in decisions:
            commands += _put(path, frame.format(decide=decisions[way]))
    return tuple(commands)


def _services(task: Task, way: str) -> tuple[str, ...]:
    starts = [path for path in task.outputs if _suffix(path) == "sh"]
    texts = [task.instruction, *(n.data.decode("utf-8", "replace") for n in task.nodes if n.data)]
    ports = list(dict.fromkeys(int(p) for t in texts for p in _PORT.findall(t) if int(p) < 65536))
    if task.spec.verifier != "multi_protocol" or not starts or not ports:
        return ()
    source = _SERVICE.format(status=_STATUSES[way], ports=ports[:40])
    commands: list[str] = []
    for path in starts:
        commands += _put(path, f"exec python3 -c {quote(source)}\n")
    return tuple(commands)


def _leaving(task: Task) -> tuple[str, ...]:
    commands: list[str] = []
    for path in task.outputs:
        if _suffix(path) in _LEAVES:
            commands += _put(path, _LEAVES[_suffix(path)])
    return tuple(commands)


def _odd_files(task: Task) -> tuple[str, ...]:
    """Return files with odd names beside every output, and a process with an odd name."""
    folders = sorted({path.rsplit("/", 1)[0] for path in task.outputs} | {"/app"})
    commands = [
        f"mkdir -p {quote(folder)}; cd {quote(folder)} && : > $'\\377\\376' && mkdir -p $'a\\nb' "
        f"&& ln -sf $'\\200' $'\\377 link' && : > \"$(printf 'x%.0s' {{1..255}})\"; cd /"
        for folder in folders
    ]
    daemon = "(exec -a $'\\377\\376' sleep 60) > /dev/null 2>&1 < /dev/null &"
    named = "(printf '\\377' > /proc/$BASHPID/comm; sleep 60; :) > /dev/null 2>&1 < /dev/null &"
    return (*commands, daemon, named)


_CONTENTS = {
    "deep brackets": "print('[' * 200_000, end='')",
    "long number": "print('9' * 100_000)",
    "zero bytes and marks": "print('\\ufeffa,b\\n\\0,\"\\0\\n1e999,NaN\\n' * 50, end='')",
}


def _filled(task: Task, expression: str) -> tuple[str, ...]:
    return tuple(
        f"mkdir -p {quote(path.rsplit('/', 1)[0])}; rm -rf {quote(path)}; "
        f"python3 -c {quote(expression)} > {quote(path)}"
        for path in task.outputs
    )


def _put(path: str, text: str) -> tuple[str, ...]:
    folder = quote(path.rsplit("/", 1)[0])
    return (f"mkdir -p {folder}", write_file(quote(path), text, mode="755"))
