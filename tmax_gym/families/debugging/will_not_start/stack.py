"""The stack of the will-not-start family: one small service, its settings, ways to break them."""

from __future__ import annotations

from tmax_gym.families.shared.programs import program_text

SERVICE = program_text(__package__, "service.py")
START = program_text(__package__, "start.sh")
STOP = """\
#!/bin/bash
# Stops every service.
pkill -f @home/services/
"""
SHEET = """\
# The stack

@rows

The front serves the keys of its own table at `/<key>`, and those of the other services at
`/<service>/<key>`.

`conf/NAME.env` has the port (PORT) and the table (DATA, relative to this directory) of a service.
`conf/NAME.json` has its unit and, for the front, the ports of the other services. A deployment
creates `run/NAME.hold` and removes it when it is finished, about a minute later. While this file
exists, the service refuses to start. No deployment is running now.

The programs use only Python's standard library. `start.sh` starts all services, and each of them
writes its errors to `logs/NAME.log`.
"""
FAULTS = ("hold", "env", "path", "shadow", "crlf", "syntax", "port")
"""Kinds of fault; with the last one the service starts, but on the wrong port."""
REPAIR = {
    "hold": "rm {home}/run/{name}.hold",
    "env": "echo DATA=data/{name}.csv >> {home}/conf/{name}.env",
    "path": "sed -i 's|^DATA=.*|DATA=data/{name}.csv|' {home}/conf/{name}.env",
    "shadow": "rm {home}/services/{name}/csv.py",
    "crlf": "sed -i 's/\\r$//' {home}/conf/{name}.env",
    "port": "sed -i 's/^PORT=.*/PORT={port}/' {home}/conf/{name}.env",
}
SHADOW = '"""Notes on the export format; see the wiki."""\n\nDELIMITER = ";"\n'
