"""Configuration files in five forms: how they are written, and how one value is replaced by sed.

Covers sections of keys with strings and whole numbers, and comments where the form has them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tmax_gym.checks import tolerance

Form = Literal["ini", "env", "toml", "yaml", "json"]
FORMS: tuple[Form, ...] = ("ini", "env", "toml", "yaml", "json")
Value = str | int | bool
Place = tuple[str, str]
"""A section and a key; an `env` file has no sections but prefixes of its keys."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a section."""

    key: str = ""
    value: Value = ""
    remark: str = ""
    """A comment: behind the value, or alone if there is no key."""
    disabled: bool = False
    """Whether the whole entry is a comment."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A configuration file without the values that change."""

    form: Form
    title: str
    sections: tuple[tuple[str, tuple[Entry, ...]], ...]
    equals: str
    """What stands between a key and its value."""
    mark: str
    """How a comment begins."""
    lead: str
    """What stands in front of every key of an `env` file."""

    def text(self, changed: Mapping[Place, Value]) -> str:
        """Return the file, with some values replaced."""
        if self.form == "json":
            return _json(self.sections, changed)
        parts = [f"{self.mark} {self.title}\n"]
        for name, entries in self.sections:
            head = {"env": f"{self.mark} {name}\n", "yaml": f"{name}:\n"}
            parts.append("\n" + head.get(self.form, f"[{name}]\n"))
            parts += [f"{self._line(name, entry, changed)}\n" for entry in entries]
        return "".join(parts)

    def _line(self, section: str, entry: Entry, changed: Mapping[Place, Value]) -> str:
        indent = "  " if self.form == "yaml" else ""
        if not entry.key:
            return f"{indent}{self.mark} {entry.remark}" if entry.remark else ""
        if entry.disabled:
            return f"{indent}{self.mark} {self._pair(entry.key, entry.value)}"
        value = changed.get((section, entry.key), entry.value)
        remark = f"  {self.mark} {entry.remark}" if entry.remark else ""
        return f"{indent}{self.lead}{self._pair(entry.key, value)}{remark}"

    def _pair(self, key: str, value: Value) -> str:
        quoted = isinstance(value, str) and self.form != "ini"
        plain = str(value).lower() if isinstance(value, bool) else str(value)
        return f"{key}{self.equals}" + (f'"{plain}"' if quoted else plain)

    def replaces(
        self, section: str, key: str, *, number: bool, value: str, anywhere: bool = False
    ) -> str:
        """Return the sed script, in double quotes, that sets one key.

        Args:
            section: The section of the key.
            key: The key itself.
            number: Whether its value is a number.
            value: The new value, without quotes; the shell may expand it.
            anywhere: Whether the script changes all keys of the name, in comments too.
        """
        old = "[0-9][0-9]*" if number else ".*" if self.form == "ini" else r"\"[^\"]*\""
        new = value if number or self.form == "ini" else rf"\"{value}\""
        lead = rf"\(^.*{key}{self.equals}\)" if anywhere else rf"^\({self._before(key)}\)"
        rule = f"s|{lead}{old}|\\1{new}|"
        return f'"{rule}"' if anywhere else f'"{self.within(section)}{rule}"'

    def shows(self, section: str, key: str) -> str:
        """Return the sed script, in double quotes, that prints the number of one key."""
        return rf'"{self.within(section)}s|^{self._before(key)}\([0-9]*\).*|\1|p"'

    def within(self, section: str) -> str:
        """Return the range of a section's lines as sed writes it."""
        if self.form == "env":
            return ""
        return f"/^{section}:/,/^[a-z]/ " if self.form == "yaml" else rf"/^\[{section}\]/,/^\[/ "

    def _before(self, key: str) -> str:
        return f"{'  ' if self.form == 'yaml' else ''}{self.lead}{key}{self.equals}"


def escaped(body: str) -> str:
    """Return a JSON text with all characters beyond ASCII as escapes."""
    return json.dumps(tolerance.value(body, "the file"), indent=2) + "\n"


def _json(sections: Sequence[tuple[str, tuple[Entry, ...]]], changed: Mapping[Place, Value]) -> str:
    whole = {
        name: {e.key: changed.get((name, e.key), e.value) for e in entries if _is_set(e)}
        for name, entries in sections
    }
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _is_set(entry: Entry) -> bool:
    return bool(entry.key) and not entry.disabled
