"""What the instruction of the dump-desk family says; the formats are in the handover notes."""

from __future__ import annotations

from tmax_gym.families.debugging.dump_desk.solution import HEADER, Desk
from tmax_gym.texts.obligations import Obligation


def say(desk: Desk, *, things: str) -> tuple[Obligation, ...]:
    """Return the questions about the artefacts, and the form of the answers."""
    return (
        Obligation(
            "goal",
            f"Somebody copied records about {things} out of our network. Find out which "
            f"records leaked, under which login each of them was taken, what it is worth and "
            f"who bought it, and write that to `{desk.report}`.",
            "goal",
        ),
        Obligation(
            "notes",
            f"The evidence is in `{desk.home}`: a packet capture, the memory image of a "
            f"process, a database with its write-ahead log, and the image of a memory stick. "
            f"`{desk.at('HANDOVER.md')}` describes these files and their formats.",
            "input",
        ),
        Obligation(
            "transfers",
            "A record has leaked if it was handed to a server outside `10.0.0.0/8` and this "
            "server accepted it. Records that the server refused do not count, and neither do "
            "records that were handed to servers inside this network.",
        ),
        Obligation(
            "login",
            "The login is that of the open session whose token was in the accepted request. "
            "Sessions that have ended may have had the same token; ignore them.",
            "rule",
            ("open session", "session that is open", "still open", "session is open", "token"),
        ),
        Obligation(
            "worth",
            f"The worth is the value of the column `{desk.column}` of the database after the "
            f"last committed transaction in its log. Ignore changes that were never committed.",
        ),
        Obligation(
            "buyer",
            "The buyer is given by the code of the record in a list that was deleted from the "
            "stick. If there are several deleted lists, the one that was modified last counts.",
            "rule",
            ("modified last", "last modified", "latest", "newest", "most recent"),
        ),
        Obligation(
            "restored",
            f"Restore this list byte for byte as `{desk.restored}`.",
            "output",
        ),
        Obligation(
            "report",
            f"`{desk.report}` is a CSV file with the header `{','.join(HEADER)}` and one line "
            f"for each leaked record, sorted by `record` as a number. `record` is the number "
            f"of the record, which is its `id` in the database.",
            "format",
        ),
        Obligation(
            "keep",
            f"Do not change any file in `{desk.home}`. Work on copies: a database client can "
            f"change the database just by opening it.",
            "limit",
        ),
    )
