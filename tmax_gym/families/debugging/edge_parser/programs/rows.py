"""Rows of the exchange format: fields between semicolons, some of them quoted.

`parse` is the one way to read a row; what is no row raises ValueError.
"""

import re

MOST = 8


def number(text: str) -> int:
    """Return the whole number that follows a `#`.

    A sign may stand in front; a number of several digits does not begin with 0.
    """
    if not re.fullmatch("[+-]?(0|[1-9][0-9]*)", text):
        raise ValueError("no number")
    return int(text)


def bare(row: str, at: int) -> tuple[int | str | None, int]:
    """Return the value of a field without quotes, and where it ends.

    Blanks (spaces) around it do not count.  It holds neither a double quote nor a tab; a lone
    `-` is no value, and `#` begins a number.
    """
    found = row.find(";", at)
    end = len(row) if found < 0 else found
    text = row[at:end].strip(" ")
    if '"' in text:
        raise ValueError("a quote in a bare field")
    if "\t" in text:
        raise ValueError("a tab in a bare field")
    if text == "-":
        return None, end
    return (number(text[1:]) if text.startswith("#") else text), end


def quoted(row: str, at: int) -> tuple[str, int]:
    """Return the text of a field that begins with a quote at `at` - 1, and where it ends.

    Two quotes stand for one; a lone one ends the field.  A backslash takes the next character
    as it is, and there is one.
    """
    out = ""
    while at < len(row):
        if row[at] == '"' and row[at + 1 : at + 2] != '"':
            return out, at + 1
        at += row[at] in '"\\'
        out += row[at : at + 1]
        at += 1
    raise ValueError("a quoted field does not end")


def parse(row: str) -> list[int | str | None]:
    """Return the fields of a row: texts, numbers and None.

    A row has at least two fields and at most eight.  Behind a closing quote comes a semicolon or
    the end of the row; an empty field is an empty text.
    """
    fields: list[int | str | None] = []
    at = 0
    while True:
        value, at = quoted(row, at + 1) if row[at : at + 1] == '"' else bare(row, at)
        fields.append(value)
        if at >= len(row):
            break
        if row[at] != ";":
            raise ValueError("text behind a quote")
        at += 1
    if len(fields) < 2 or len(fields) > MOST:
        raise ValueError("number of fields")
    return fields
