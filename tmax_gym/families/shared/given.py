"""Words of the data-querying families about a given database, which must stay as it is.

Covers the one clause behind the gate that compares the file.  Does not cover what is asked of it.
"""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause

KEEP = (
    "{Data|The data} under {database} {stay|remain} {untouched|as they are}.",
    "{Leave|Keep} {database} {unchanged|as it is}.",
    "{database} is {not to be changed|read only}.",
    "{Never|Do not} write to {database}.",
    "{The file|Our file} {database} {is|must remain} unchanged {afterwards|at the end}.",
    "{Read|Query} {database} {freely|as you like}, but {change|write} nothing there.",
)


def kept(database: str) -> Clause:
    """Return the clause that forbids writing to a database."""
    return Clause("keep", KEEP, facts={"database": database}, role="constraint")
