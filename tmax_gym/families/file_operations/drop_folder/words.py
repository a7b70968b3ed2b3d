"""Words of the drop-folder family."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause


def short(start: str, folder: str, *, port: int) -> tuple[Clause, ...]:
    """Return the task of a folder that is served as it is."""
    return (
        Clause(
            "goal",
            (
                "{Write|Create} {start} so that it {serves|offers} the files of {folder} over "
                "HTTP on port {port} of localhost{, in the foreground|}.",
                "{start} should {start|run} a web server: port {port} on 127.0.0.1, with "
                "{folder} as {its root|the document root}.",
                "The files in {folder} are to be {fetched|read} over HTTP ({port} on "
                "localhost) {once|after} {start} {is running|has been started}.",
                "{Serve|Publish} {folder} on http port {port}{, localhost only|, on the "
                "loopback}, by a script {start}.",
                "{We need|Please provide} {start}: {when run|once run}, GET requests on port "
                "{port} {return|deliver} the files of {folder} {by name|under their names}.",
                "{Make|Provide} a start script {start}. It {brings up|starts} an HTTP file "
                "server for {folder}, {listening|bound} on 127.0.0.1:{port}.",
            ),
            facts={"start": start, "folder": folder, "port": str(port)},
            role="goal",
            brief="Write {start}: serve {folder} over HTTP on port {port} of localhost.",
        ),
    )


def whole(start: str, interface: str, *, port: int, catalog: tuple[str, int]) -> tuple[Clause, ...]:
    """Return the task of a service."""
    return (
        Clause(
            "goal",
            (
                "{Build|Write} the drop service {described|laid down} in {interface}, "
                "{listening|an HTTP service} on port {port} of 127.0.0.1.",
                "{Partners|Sites} will {drop|send} files over HTTP: port {port}, localhost, by "
                "the rules of {interface}. {Write|Provide} the service.",
                "{interface} {specifies|describes} a small HTTP service for incoming files; "
                "{implement|build} it {on|for} port {port} (127.0.0.1).",
                "We want {an|our} intake for files on 127.0.0.1:{port}. {What it must do|Its "
                "behaviour} {is written|stands} in {interface}.",
                "{Replace|Retire} our FTP folder: {write|make} an HTTP service on localhost, "
                "port {port}, that {behaves as|does what} {interface} {says|asks}.",
                "On port {port} of localhost {nothing answers|there is nothing} yet; "
                "{put|bring up} the service of {interface} {there|behind it}.",
            ),
            facts={"interface": interface, "port": str(port)},
            role="goal",
            brief="Write the HTTP service of {interface} on port {port} of localhost.",
        ),
        Clause(
            "catalog",
            (
                "Which folder takes {what|which suffix} is {known|decided} by the catalogue: "
                "{program} answers {question} on TCP port {catalog}{ of localhost|}; {it "
                "stays|leave it} as it is.",
                "Folders and size limits come from {program}, a TCP service (port {catalog}) "
                "that you {ask|query} with {question}; {do not edit|never change} it.",
                "{Ask|Query} the catalogue for folders and limits: {question} on TCP port "
                "{catalog}, served by {program}, {which is fine|not yours to change}.",
                "There {is|exists} a catalogue, {program}, on TCP port {catalog}: {send|write} "
                "{question}, {read|get} folder and limit. {Keep|Leave} it unchanged.",
                "{program} {must not be touched|stays untouched}; {over|through} TCP port "
                "{catalog} it {tells|says} the folder and the limit {for|in answer to} "
                "{question}.",
                "The {existing|present} {program} ({catalog}/TCP) {knows|has} folders and "
                "limits, one {line|question} {question} at a time. {Its files are|It is} {off "
                "limits|read-only}.",
            ),
            facts={
                "program": catalog[0],
                "catalog": str(catalog[1]),
                "question": "`WHERE <suffix>`",
            },
            role="input",
            brief=(
                "Ask {program} (TCP port {catalog}, {question}) for folder and limit; do not "
                "change it."
            ),
        ),
        Clause(
            "start",
            (
                "{start} has to {bring up|start} both{, the catalogue and your service|}, as "
                "an unprivileged user, and {stay|remain} in the foreground.",
                "We {run|call} {start} without root rights; it {starts|launches} the catalogue "
                "and the {drop service|new service} {and waits|and does not return}.",
                "Both {processes|services} are {started|brought up} by {start}, {run|executed} "
                "as a {plain|normal} user.",
                "{Leave|Provide} a script {start} that {brings up|launches} the catalogue and "
                "{yours|your service}; {no|without} root rights {are needed|must be needed}.",
                "The {test|check} runs {start} {as nobody|unprivileged}, {expects|and then "
                "expects} both services {up|to be up} and talks HTTP.",
                "{Everything|All} starts {from|through} {start}: catalogue first, {then "
                "yours|then the new service}, no root {required|needed}.",
            ),
            facts={"start": start},
            role="output",
            brief="{start} starts the catalogue and the service, unprivileged.",
        ),
        Clause(
            "lasting",
            (
                "{Stored|Accepted} files {survive|must survive} a restart of "
                "{everything|both}, {kept|so keep them} in {the directory|some place} of your "
                "program.",
                "{After|Following} a restart {all|all the} stored files {are still there|must "
                "still be there}; write {next to|below} the program{, no absolute path "
                "elsewhere|}.",
                "{Keep|Store} the files {on disk|in the file system}{, beside the program|, "
                "next to the service}: {restarts|a restart} may come at any {time|moment}.",
                "Nothing may {be lost|get lost} {when|if} both services {stop and start|are "
                "restarted}; {store|keep} files {below|in} the program's own directory.",
                "{We restart|Someone restarts} it {now and then|between requests}: "
                "{earlier|stored} files are {then expected|expected} back.",
                "{A restart|Restarting} in {the middle|between} is part of the {test|check}, "
                "and {stored|accepted} files have to {outlive|survive} it.",
            ),
            role="constraint",
            brief="Stored files survive a restart.",
        ),
    )
