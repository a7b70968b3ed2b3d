"""The stack of the edge-filter family: upstream, edge, rule language, and what must be refused."""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.families.shared.programs import program_text

EDGE = program_text(__package__, "edge.py")
UPSTREAM = program_text(__package__, "upstream.py")
START = """\
#!/bin/bash
python3 -S -E @home/upstream.py &
trap 'kill %1' EXIT
python3 -S -E @home/edge/edge.py
"""
MANUAL = """\
# Rules of the edge

`rules.json` is a list. A request is answered with 403 if any rule of the list matches it;
otherwise it goes to the upstream. A rule is an object:

- `part`: `method`; `path` (what stands before the `?`); `query` (each value of a parameter, one
  by one); or `header:<Name>` (the empty string where the request has no such header).
- `pattern`: a regular expression of Python, searched for anywhere in the part. Write `(?i)` in
  front to ignore case.
- `decode`: how many times the part is percent-decoded before (0 if absent). In a query value the
  first of them also turns `+` into a blank.
- `unless`: an object with `part`, `pattern` and `decode`; where it matches, the rule does not.

`start.sh` starts upstream and edge; the edge reads its rules when it starts.
"""


@dataclass(frozen=True, slots=True)
class Threat:
    """A kind of request that must be refused."""

    name: str
    policy: str
    rule: str
    """A right rule, as JSON."""
    narrow: str
    """A rule that lets some of them through."""
    broad: str
    """A rule that refuses honest requests too."""
    evil: tuple[str, ...]
    """Requests, `METHOD target [Header: value]`; `@` stands for a word of the trade."""
    clean: tuple[str, ...]


THREATS = (
    Threat(
        "traversal",
        "A path that has a component `..`, however many times (up to three) it is "
        "percent-encoded. Dots inside longer components are harmless.",
        r'{"part": "path", "decode": 3, "pattern": "(^|/)[.][.](/|$)"}',
        r'{"part": "path", "pattern": "/[.][.]/"}',
        r'{"part": "path", "decode": 3, "pattern": "[.][.]"}',
        ("GET /@/../../etc/shadow", "GET /@/%2e%2e/@.db", "GET /@/%252e%252e", "GET /@%2f..%2f@"),
        ("GET /@/v1..v2", "GET /@/.../@", "GET /@..old"),
    ),
    Threat(
        "union",
        "A query value which, decoded once, holds the words union and select, in any case, with "
        "nothing between them but white space, or white space around the word all.",
        r'{"part": "query", "decode": 1, '
        r'"pattern": "(?i)\\bunion\\s+(all\\s+)?select\\b"}',
        r'{"part": "query", "decode": 1, "pattern": "union select"}',
        r'{"part": "query", "decode": 1, "pattern": "(?i)union.*select"}',
        ("GET /@?q=1+UNION+select+2", "GET /@?a=1&b=x%20union%20all%20SELECT", "GET /@?id=2%27+uni"
         "on%09select+key", "GET /@?q=UNION++SELECT+@"),
        ("GET /@?q=union+hall+select+seats", "GET /@?q=reunion+selected", "GET /@?q=union-select"),
    ),
    Threat(
        "script",
        "A query value which, decoded once, holds `<`, perhaps white space, and `script` in any "
        "case.",
        r'{"part": "query", "decode": 1, "pattern": "(?i)<\\s*script"}',
        r'{"part": "query", "decode": 1, "pattern": "<script"}',
        r'{"part": "query", "decode": 1, "pattern": "(?i)<|script"}',
        ("GET /@?t=%3Cscript%3E", "GET /@?t=%3C%20ScRipt+src=x", "GET /@?n=@&t=a%3CSCRIPT"),
        ("GET /@?q=@%3C5", "GET /@?q=typescript", "GET /@?q=%3Cstrong%3E@"),
    ),
    Threat(
        "shell",
        "A query value which, decoded once, holds a backtick, or `$` directly before `(`.",
        r'{"part": "query", "decode": 1, "pattern": "`|[$][(]"}',
        r'{"part": "query", "pattern": "`|[$][(]"}',
        r'{"part": "query", "decode": 1, "pattern": "[`$()]"}',
        ("GET /@?f=%60id%60", "GET /@?f=%24%28reboot%29", "GET /@?f=@%60", "GET /@?f=$(id)"),
        ("GET /@?f=cost+%245", "GET /@?f=(@)", "GET /@?f=%24+%28"),
    ),
    Threat(
        "method",
        "A method other than GET, HEAD and POST.",
        r'{"part": "method", "pattern": "^(?!(GET|HEAD|POST)$)"}',
        r'{"part": "method", "pattern": "TRACE|DELETE"}',
        r'{"part": "method", "pattern": "^(?!GET$)"}',
        ("TRACE /@", "PUT /@/7", "DELETE /@/3", "PATCH /@"),
        ("GET /@/PUT", "POST /@", "HEAD /@"),
    ),
    Threat(
        "scanner",
        "A User-Agent that begins with `sqlmap/`, or holds the word nikto, in any case.",
        r'{"part": "header:User-Agent", "pattern": "(?i)^sqlmap/|\\bnikto\\b"}',
        r'{"part": "header:User-Agent", "pattern": "^sqlmap/|nikto "}',
        r'{"part": "header:User-Agent", "pattern": "(?i)sqlmap|nikto"}',
        ("GET /@ User-Agent: sqlmap/1.7", "GET /@ User-Agent: SQLMAP/1.6 (@)",
         "GET /@ User-Agent: Mozilla/5.0 (Nikto/2.1)"),
        ("GET /@ User-Agent: panikton/2", "GET /@ User-Agent: report-on-sqlmap/1",
         "GET /@ User-Agent: Mozilla/5.0"),
    ),
    Threat(
        "internal",
        "A path that, decoded once, is `/internal` or begins with `/internal/`, unless the header "
        "X-Desk is exactly `@desk`.",
        r'{"part": "path", "decode": 1, "pattern": "^/internal(/|$)", '
        r'"unless": {"part": "header:X-Desk", "pattern": "^@desk$"}}',
        r'{"part": "path", "pattern": "^/internal/", '
        r'"unless": {"part": "header:X-Desk", "pattern": "."}}',
        r'{"part": "path", "decode": 1, "pattern": "internal"}',
        ("GET /internal/@", "GET /%69nternal/@", "GET /internal", "GET /internal/@ X-Desk: guest"),
        ("GET /internal/@ X-Desk: @desk", "GET /internals/@", "GET /@/internal"),
    ),
)  # fmt: skip
