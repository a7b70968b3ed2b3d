"""What an instruction of the wire-frames family says."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause


def goal(sheet: str, schema: str, program: str, *, language: str) -> Clause:
    """Return the goal."""
    return Clause(
        "goal",
        (
            "{Write|Build} {program}, {language} source of a {reader|decoder} for {captured|"
            "recorded} client traffic: {sheet} {has|tells} the protocol and {schema} the {messages|"
            "requests}.",
            "{We|Our people} {look at|audit} client traffic by hand so far. {program}, {language} "
            "source, should {decode|read} it by {sheet} and {schema}.",
            "{Needed|Wanted} is {a|the} {decoder|reader} of our wire protocol in {language}: "
            "{program}. {sheet} is the {description|text}, {schema} the service.",
            "{sheet} describes how our clients {talk|speak} over WebSocket, {schema} what they "
            "{say|ask for}; {make|write} {program}, a {language} {decoder|reader} for {both|it}.",
            "From {sheet} and {schema}, {write|make} {program}: {language} source that {takes "
            "apart|decodes} {recorded|captured} connections.",
            "{Somebody|Operations} {recorded|captured} connections {and cannot|but can not} read "
            "them. {Implement|Code} {sheet}, with the schema {schema}, {as|in} {program} "
            "({language}).",
        ),
        facts={"sheet": sheet, "schema": schema, "program": program, "language": language},
        role="goal",
        brief="Write {program} ({language}), a decoder for {sheet} with the schema {schema}.",
    )


def interface(captures: str, report: str) -> Clause:
    """Return input and output, and where both are shown."""
    return Clause(
        "interface",
        (
            "It {reads|takes} captures from standard input, a line of hexadecimal digits each, and "
            "{prints|writes} the report to standard output; {captures} {has|holds} some and "
            "{report} the {report|output} for them.",
            "{Each|Every} line {of|on} standard input is a capture in hexadecimal, the report "
            "{goes|is sent} to standard output: {captures} {becomes|gives} {report}.",
            "{Captures|Recorded connections} come in hexadecimal on standard input, one a line, "
            "and what {is printed|goes to standard output} for {captures} is {report}.",
            "{captures} {shows|has} standard input (a capture a line, in hexadecimal), {report} "
            "{what|all that} {has to|must} come out on standard output.",
            "{Given|Fed} {captures} on standard input, a hexadecimal capture a line, it has to "
            "{print|write} {report}{, to the letter|}.",
            "Standard input {has|holds} a capture {on each|a} line, {as|in} hexadecimal digits; "
            "{try|test} it with {captures}, {for which|where} {report} {is right|is the answer}.",
        ),
        facts={"captures": captures, "report": report},
        role="input",
        brief="Captures in hexadecimal, a line each, to a report: {captures} gives {report}.",
    )


def judged() -> Clause:
    """Return how it is tested."""
    return Clause(
        "judged",
        (
            "It is {judged|graded} by {other|unseen} captures of the {same|one} protocol, {damaged|"
            "broken} and {refused|cut off} ones {among them|included}.",
            "{Other|Unseen} captures {decide|count}, and {damage|faults} of every kind in the "
            "{text|description} {occurs|occur} in them.",
            "Expect {other|further} captures{ than these|}, with every {fault|oddity} that the "
            "description {names|mentions}; the documents {stay|remain} as they are.",
            "We {compare|check} reports for captures {you have not|nobody has} seen, {sound|good} "
            "and {faulty|bad} ones.",
            "{Whatever|All that} the description {provides for|mentions} {is|gets} tried on "
            "{further|unseen} captures, {damage|faults} {above all|not least}.",
            "{More|Other} captures than {those|the ones} shown {are|will be} tried, and {each|"
            "every} report is compared {as a whole|to the last line}.",
        ),
        role="constraint",
        brief="Unseen captures are tried, faulty ones too.",
    )
