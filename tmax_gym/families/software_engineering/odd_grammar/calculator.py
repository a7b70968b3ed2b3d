"""Evaluation of a line of a drawn expression language: its value, or its first fault.

Covers tokens, parsing by levels into steps, and the steps in order.  Does not cover the language
itself: see `language.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tmax_gym.families.software_engineering.odd_grammar.language import (
    BINARY,
    CALLS,
    DIVIDING,
    UNARY,
    Tongue,
)


class Fault(Exception):
    """A fault of a line: its kind (an index of `words`) and the column, from 0."""

    def __init__(self, kind: int, at: int) -> None:
        super().__init__(kind, at)
        self.kind, self.at = kind, at


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a parsed line: a value, the memory, or what to do with the newest values."""

    kind: Literal["value", "memory", "unary", "binary", "call"]
    meaning: str
    at: int
    value: int = 0
    """The value, or how many arguments are given."""


_DIGITS = {digit: value for value, digit in enumerate("0123456789abcdef")}


class Calculator:
    """The parser of one language: from lines to steps, with operands before operators."""

    def __init__(self, tongue: Tongue) -> None:
        self.tongue, self.line = tongue, ""
        self.steps: list[Step] = []
        self.at = self.start = 0
        self.kind, self.text, self.value = "", "", 0
        self.marks, self.suffixes = dict(tongue.marks), dict(tongue.suffixes)
        self.calls = dict(tongue.calls)
        self.brackets = {opening: rest for opening, *rest in tongue.brackets}
        self.after = dict(tongue.postfix)
        self.before = {s: (n, m) for n, r in enumerate(tongue.rows, 1) if r.prefix
                       for s, m in r.signs}  # fmt: skip
        self.between = {s: (n, r.ties, m) for n, r in enumerate(tongue.rows, 1) if not r.prefix
                        for s, m in r.signs}  # fmt: skip
        self.symbols = tongue.symbols
        self.begun: dict[str, list[str]] = {}
        for symbol in self.symbols:
            self.begun.setdefault(symbol[0], []).append(symbol)

    def parsed(self, line: str) -> list[Step]:
        """Return the steps of a line.  Raises `Fault` where it is no expression."""
        self.line, self.steps, self.at = line, [], 0
        self.advance()
        self.expression(1)
        if self.kind:
            raise Fault(0, self.start)
        return self.steps

    def advance(self) -> None:
        """Read the next token; its kind is "" at the end and "bad" where none begins."""
        line = self.line
        while self.at < len(line) and line[self.at] == " ":
            self.at += 1
        self.start = self.at
        if self.at == len(line):
            self.kind = self.text = ""
        elif not self._number():
            end = self.at
            while end < len(line) and "a" <= line[end] <= "z":
                end += 1
            self.kind, self.text = "name", line[self.at : end]
            if end == self.at:
                fits = (s for s in self.begun.get(line[end], ()) if line.startswith(s, end))
                self.text = next(fits, "")
                self.kind = "sign" if self.text else "bad"
            self.at += len(self.text)

    def _digit(self, at: int, base: int) -> int:
        value = _DIGITS.get(self.line[at], 16) if at < len(self.line) else 16
        return value if value < base else -1

    def _number(self) -> bool:
        """Read a literal if one begins here."""
        base = self.marks.get(self.line[self.at], 10)
        at = self.at + (base != 10)
        if self._digit(at, base) < 0:
            return False
        value = 0
        while (digit := self._digit(at, base)) >= 0:
            value, at = value * base + digit, at + 1
            gap = self.tongue.gap
            if gap and self.line.startswith(gap, at) and self._digit(at + 1, base) >= 0:
                at += 1
        if base == 10 and at < len(self.line) and self.line[at] in self.suffixes:
            value, at = value * self.suffixes[self.line[at]], at + 1
        self.kind, self.text, self.value, self.at = "number", "", value, at
        return True

    def expression(self, least: int) -> None:
        """Parse operators of a level of at least `least`."""
        self.operand()
        lonely = 0
        while self.kind == "sign" and self.text in self.between:
            level, ties, meaning = self.between[self.text]
            if level < least:
                return
            at = self.start
            if level == lonely:
                raise Fault(0, at)
            self.advance()
            self.expression(level + (ties != "right"))
            self.steps.append(Step("binary", meaning, at))
            lonely = level if ties == "none" else 0

    def operand(self) -> None:
        """Parse a literal, a name, something in brackets, or an operand with an operator."""
        at, text = self.start, self.text
        if self.kind == "sign" and text in self.before:
            level, meaning = self.before[text]
            self.advance()
            self.expression(level)
            self.steps.append(Step("unary", meaning, at))
            return
        if self.kind == "number":
            self.steps.append(Step("value", "", at, self.value))
            self.advance()
        elif self.kind == "name" and text == self.tongue.memory:
            self.steps.append(Step("memory", "", at))
            self.advance()
        elif self.kind == "name" and text in self.calls:
            self.advance()
            if self.text != "(":
                raise Fault(0, self.start)
            self.steps.append(Step("call", self.calls[text], at, self.inside(")", many=True)))
        elif self.kind == "sign" and text in self.brackets:
            closing, meaning = self.brackets[text]
            self.inside(closing)
            self.steps += [Step("unary", meaning, at)] if meaning else []
        else:
            raise Fault(0, at)
        while self.kind == "sign" and self.text in self.after:
            self.steps.append(Step("unary", self.after[self.text], self.start))
            self.advance()

    def inside(self, closing: str, *, many: bool = False) -> int:
        """Parse up to the closing bracket; return how many expressions there were."""
        count = 0
        while True:
            self.advance()
            self.expression(1)
            count += 1
            if not (many and self.kind == "sign" and self.text == self.tongue.separator):
                break
        if self.kind != "sign" or self.text != closing:
            raise Fault(0, self.start)
        self.advance()
        return count


def fitted(tongue: Tongue, value: int, at: int) -> int:
    """Return a value as the language keeps it.  Raises `Fault` where it cannot."""
    if tongue.reach == "modulus":
        return value % tongue.bound
    if tongue.reach == "wrap":
        half = 1 << (tongue.bound - 1)
        return (value + half) % (2 * half) - half
    if abs(value) > tongue.bound:
        raise Fault(2, at)
    return value


def computed(tongue: Tongue, steps: list[Step], memory: int) -> int:
    """Return the value of a parsed line.  Raises `Fault` at the first step that fails."""
    stack: list[int] = []
    for step in steps:
        if step.kind == "value":
            value = step.value
        elif step.kind == "memory":
            value = memory
        elif step.kind == "unary":
            value = UNARY[step.meaning][1](stack.pop())
        elif step.kind == "call":
            given = stack[-step.value :]
            del stack[-step.value :]
            value = CALLS[step.meaning][1](given)
        else:
            b, a = stack.pop(), stack.pop()
            if step.meaning in DIVIDING and b == 0:
                raise Fault(1, step.at)
            value = BINARY[step.meaning][1](a, b)
        stack.append(fitted(tongue, value, step.at))
    return stack.pop()


def answers(tongue: Tongue, text: str) -> str:
    """Return the output of a calculator for an input: a line for every line that is not blank."""
    calculator = Calculator(tongue)
    out, memory = "", 0
    for line in text.split("\n"):
        if not line.strip(" "):
            continue
        try:
            memory = computed(tongue, calculator.parsed(line), memory)
            out += f"{memory}\n"
        except Fault as fault:
            word = tongue.words[fault.kind]
            out += tongue.shape.format(word=word, at=fault.at + tongue.first) + "\n"
    return out
