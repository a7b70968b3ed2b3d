"""The package of the rollup-drift family as text: modules, manual, and the lines to spoil.

Covers the source with and without faults.  Does not cover what it prints: see `tool.py`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tmax_gym.families.shared.programs import program_text

MODULES = {
    "reading": program_text(__package__, "readings.py"),
    "usage": program_text(__package__, "usage.py"),
    "window": program_text(__package__, "window.py"),
    "__main__": program_text(__package__, "main.py"),
}
MANUAL = """\
What the roll-up does

Input: one reading a line, <second>;<counter>. The counter is a whole number of up to five digits.
A # begins a remark, which ends with its line; a line that is empty apart from that is none.

1. A line whose second is not above that of the line accepted before it is dropped: it has come
   twice, or too late. All others are accepted.
2. A counter of - says that the meter was silent. Such a line prints nothing, and the next reading
   is like the first one.
3. The first reading prints nothing. Every later one prints one line.
4. The usage is the counter minus the one before it. After 99999 the counter goes on with 0.
5. The window holds the latest usages, WINDOW of them at most. It is emptied, before the usage goes
   in, if more than 900 seconds lie between the two readings, and after the meter was silent.
6. The line is: second, usage, sum of the window, mean of the window, peak of the window, mark;
   one blank between two of them. The mean is rounded to the nearest whole number, a half upwards.
   The peak is the largest usage. The mark is high if the sum is above LIMIT, else ok.
7. The last line is: end, the number of lines printed before it, the sum of all their usages.
"""


@dataclass(frozen=True, slots=True)
class Fault:
    """One line of the package that is wrong."""

    name: str
    """Name of the fault, and of the inputs that show it."""
    site: str
    """The place of the fault; a task has at most one fault in each place."""
    module: str
    right: str
    wrong: str
    hasty: str
    """A wrong repair."""


FAULTS = (
    Fault("remark", "remark", "reading", 'raw.split("#", 1)[0].strip()',
          '"" if raw.startswith("#") else raw.strip()', 'raw.lstrip("#").strip()'),
    Fault("repeat", "order", "reading", "second <= last", "second < last", "second == last"),
    Fault("late", "order", "reading", "second <= last", "second == last", "second < last"),
    Fault("silent", "silent", "usage", "            counter = None\n", "            continue\n",
          "            counter = 0\n"),
    Fault("wrap", "wrap", "usage", "(now - counter) % WRAP", "max(now - counter, 0)",
          "abs(now - counter)"),
    Fault("edge", "restart", "usage", "second - before > GAP", "second - before >= GAP",
          "second - before > GAP + 1000000"),
    Fault("restart", "restart", "window", "if fresh:", "if fresh and not self.usages:",
          "if fresh and self.lines > 9:"),
    Fault("evict", "evict", "window", "len(self.usages) > self.size:",
          "len(self.usages) > self.size + 1:", "len(self.usages) >= self.size:"),
    Fault("tumble", "evict", "window", "self.usages.pop(0)", "self.usages = [usage]",
          "self.usages.pop()"),
    Fault("mean", "mean", "window", "(2 * total + count) // (2 * count)", "round(total / count)",
          "total // count"),
    Fault("peak", "peak", "window", "max(self.usages)", "max(self.usages[1:] or self.usages)",
          "max(self.usages[:-1] or self.usages)"),
    Fault("mark", "mark", "window", "total > self.limit", "total >= self.limit",
          "peak > self.limit"),
    Fault("total", "total", "window", "self.total += usage", "self.total = sum(self.usages)",
          "self.total = max(self.total, usage)"),
)  # fmt: skip


def module(name: str, faults: Collection[Fault] = ()) -> str:
    """Return the text of a module with these faults in it."""
    body = MODULES[name]
    for fault in faults:
        if fault.module == name:
            if body.count(fault.right) != 1:
                raise ValueError(f"{fault.right!r} is not one place of {name}")
            body = body.replace(fault.right, fault.wrong)
    return body
