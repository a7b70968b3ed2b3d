"""Programs and notes of the bad-gateway family: an edge proxy, a service, their topology."""

from __future__ import annotations

from tmax_gym.families.shared.programs import program_text

EDGE = program_text(__package__, "edge.py")
SERVICE = program_text(__package__, "service.py")
START = program_text(__package__, "start.sh")
NOTES = """\
# How it hangs together

Clients speak to the edge (`edge/edge.py`, port @listen), which passes `/<service>/items/<code>`
on to `/items/<code>` of that service: the prefix is stripped on the way. The edge hands the
header `X-Request-Id` through on every route. Routes are tried in the order of
`edge/routes.json`; the first whose prefix matches wins.

Each service has a directory below `services/` with its `settings.json` (the port given there is
right) and its data. The services are: @services.
"""
