"""The style `terminus2`: keystrokes into a tmux session, as JSON in plain text, no tool calls.

Covers keys by their tmux names and verbatim text, waiting, new output since the last look, the
whole screen of full-screen programs, and completion that has to be said twice.
Does not cover XML, nor summaries by other models.  The machine needs tmux.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any

from tmax_gym.harness import FormatError
from tmax_gym.harnesses.style import Act, ChatMessage

LONGEST = 20.0
"""Seconds that one look may wait for: below a command's own limit."""
_KEY = re.compile(
    r"C-[a-z\\\[\]^_@]|M-[a-z]|Enter|Escape|Tab|BTab|BSpace|Space|Up|Down|Left|Right|Home|End|"
    r"PageUp|PageDown|PPage|NPage|IC|DC|F\d{1,2}"
)
_START = """\
export TERM=xterm-256color
tmux -L tmax kill-server 2>/dev/null
if tmux -L tmax -f /dev/null new-session -d -s main -x 160 -y 40 "bash --norc --noprofile" &&
  tmux -L tmax set-option -g history-limit 50000 >/dev/null
then tmax_seen=0; sleep 0.3; else echo 'tmux cannot be started on this machine'; fi
"""
_LOOK = """\
set -- $(tmux -L tmax display-message -p -t main \
'#{alternate_on} #{history_size} #{cursor_y}')
if [ "$1" = 1 ]; then echo '[full-screen program]'; tmux -L tmax capture-pane -p -t main
else tmux -L tmax capture-pane -p -t main -S $((tmax_seen - $2)) -E $3; tmax_seen=$(($2 + $3)); fi
set --
"""
"""What was printed since the line where the cursor was the last time; then remember the line."""

_RULES = """\
You work in a Linux terminal through tmux (160 x 40). You cannot see it while you write: after \
each reply you are shown what is new on it.

The task:
{instruction}

Reply with one JSON object and nothing else:
{{
  "analysis": "what the terminal shows and what is still to do",
  "plan": "what you do next, and why",
  "commands": [{{"keystrokes": "ls -la\\n", "duration": 0.5}}],
  "task_complete": false
}}

- Keystrokes are typed as they are. End a command with \\n, or it is not run.
- A key by its tmux name must stand alone: "C-c", "C-d", "Escape", "Up".
- duration is how many seconds to wait after typing, at most {longest:g}. Short commands need 0.1, \
builds more; to go on waiting, send empty keystrokes.
- Nothing but what you type happens: there is no network and nobody who answers.
- When the task is done set task_complete to true. You will be asked once more; what the machine \
holds after that is graded.
"""
_AGAIN = (
    "Are you sure that the task is complete? What the machine holds now will be graded and you "
    "cannot go on. If so, reply once more with task_complete set to true."
)


class TerminusStyle:
    """Keystrokes, and what they made appear."""

    name = "terminus2"
    tools: tuple[Mapping[str, Any], ...] = ()
    first = _START + _LOOK

    def __init__(self) -> None:
        self._sure = False

    def opening(self, instruction: str) -> tuple[ChatMessage, ...]:
        """Return the one message with everything."""
        self._sure = False
        text = _RULES.format(instruction=instruction, longest=LONGEST)
        return ({"role": "user", "content": text},)

    def parse(self, message: ChatMessage) -> tuple[Act, ...] | FormatError:
        """Return the keys as one command, or the end where that was said twice."""
        row = _object(str(message.get("content") or ""))
        if isinstance(row, FormatError):
            return row
        listed = row.get("commands", [])
        if not isinstance(listed, list):
            return FormatError("`commands` must be a list.")
        typed = [_typed(item) for item in listed]
        for item in typed:
            if isinstance(item, FormatError):
                return item
        complete = row.get("task_complete") is True
        if complete and self._sure:
            return (Act(submit=True, tool="keys"),)
        self._sure = complete
        script = "".join(str(item) for item in typed)
        # Whether it is complete is asked with what the last keys did in view.
        return (Act(script + _LOOK, tool="complete" if complete else "keys"),)

    def render(self, act: Act, observation: str) -> str:
        """Return what is new on the terminal."""
        body = re.sub(r"\n\n\(exit_code=\w+\)$", "", observation)
        lines = [line.rstrip() for line in body.split("\n")]
        text = "\n".join(lines).rstrip()
        shown = f"New on the terminal:\n{text}"
        return f"{shown}\n\n{_AGAIN}" if act.tool == "complete" else shown

    def feedback(self, error: FormatError) -> str:
        """Return the reason and the form."""
        return (
            f"{error.reason}\nReply with one JSON object with the keys analysis, plan, commands "
            "(a list of objects with keystrokes and duration) and task_complete."
        )


def _object(text: str) -> Mapping[str, Any] | FormatError:
    """Return the first JSON object of a reply; models put fences and words around it."""
    start = text.find("{")
    if start < 0:
        return FormatError("The reply holds no JSON object.")
    try:
        row, _ = json.JSONDecoder(strict=False).raw_decode(text[start:])
    except (ValueError, RecursionError) as error:
        return FormatError(f"The JSON object cannot be read: {error}")
    if not isinstance(row, dict) or not ({"commands", "task_complete"} & row.keys()):
        return FormatError("The JSON object has neither `commands` nor `task_complete`.")
    return row


def _typed(item: object) -> str | FormatError:
    """Return the shell code that types one command and waits."""
    if not isinstance(item, Mapping) or not isinstance(item.get("keystrokes"), str):
        return FormatError("Every command needs `keystrokes`, a string.")
    keys: str = item["keystrokes"]
    if "\0" in keys or any("\ud800" <= c <= "\udfff" for c in keys):
        return FormatError("The keystrokes hold a character that cannot be typed.")
    duration = item.get("duration", 1.0)
    if isinstance(duration, bool) or not isinstance(duration, int | float):
        return FormatError("`duration` must be a number of seconds.")
    send = "tmux -L tmax send-keys -t main"
    if _KEY.fullmatch(keys.strip()):
        code = f"{send} {shlex.quote(keys.strip())}\n"
    else:
        code = ""
        for part in re.findall(r"[^\n]+|\n", keys):
            code += f"{send} Enter\n" if part == "\n" else f"{send} -l -- {shlex.quote(part)}\n"
    return code + f"sleep {min(max(float(duration), 0.05), LONGEST):g}\n"
