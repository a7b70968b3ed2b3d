"""Programs and notes of the bad-gateway family: an edge proxy, a service, their topology."""

from __future__ import annotations

from tmax_gym.families.shared.programs import program_text

EDGE = program_text(__package__, "edge.py")
SERVICE = program_text(__package__, "service.py")
START = program_text(__package__, "start.sh")
NOTES = """\
# How the set-up is meant to work

Clients send their requests to the edge (`edge/edge.py`, port @listen). It forwards
`/<service>/items/<code>` to that service as `/items/<code>`, without the prefix. It also forwards
the header `X-Request-Id`, on every route. Routes are tried in the order in which
`edge/routes.json` lists them, and the first one whose prefix matches is used.

Each service has its own directory in `services/` with its data and its `settings.json`. The port
in `settings.json` is right. The services are: @services.
"""
