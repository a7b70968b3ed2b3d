"""Personas: who may ask for a task; an author imagines what each of them cares about.

Invented people of each domain, with the title that they would sign with.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Persona:
    """One kind of person who asks."""

    name: str
    """Identifier, as in "key-custodian"; unique within a domain."""
    title: str
    """What a signature says."""


@cache
def personas(domain: str) -> tuple[Persona, ...]:
    """Return the personas of a domain; raises `ValueError` if there is no such domain."""
    if domain not in _PEOPLE:
        raise ValueError(f"no personas for the domain {domain!r}; there are: {', '.join(_PEOPLE)}")
    pairs = (line.strip().partition(" | ") for line in _PEOPLE[domain].strip().splitlines())
    return tuple(Persona(name, title) for name, _, title in pairs)


_PEOPLE = {
    "security": """
        auditor | internal auditor
        pen-tester | penetration tester
        incident-responder | incident responder
        key-custodian | key custodian
        forensics-analyst | forensics analyst
        defender | defensive engineer
    """,
    "software_engineering": """
        build-engineer | build engineer
        release-manager | release manager
        port-engineer | migration engineer
        maintainer | maintainer
        tool-author | internal tools developer
        service-owner | service owner
    """,
    "file_operations": """
        backup-admin | backup administrator
        dataset-organiser | data librarian
        tech-writer | technical writer
        media-archivist | media archivist
        storage-engineer | storage engineer
        field-courier | field data collector
    """,
    "data_querying": """
        dba | database administrator
        bi-analyst | reporting analyst
        compliance-officer | compliance officer
        etl-engineer | data engineer
        catalogue-keeper | metadata librarian
        backend-developer | backend developer
    """,
    "data_science": """
        modeller | data scientist
        mlops-engineer | machine learning engineer
        experimenter | experiment analyst
        quality-scientist | measurement analyst
        planner | capacity planner
        label-curator | dataset curator
    """,
    "debugging": """
        night-on-call | on-call engineer
        inheritor | engineer who inherited the code
        support-engineer | support engineer
        bisecting-dev | developer
        recovery-engineer | recovery engineer
        test-engineer | test engineer
    """,
    "scientific_computing": """
        simulation-researcher | simulation researcher
        bioinformatician | bioinformatician
        lab-physicist | instrument scientist
        numerical-analyst | numerical analyst
        observer | observational scientist
        method-developer | research software engineer
    """,
    "data_processing": """
        log-analyst | log analyst
        feed-operator | data feed operator
        localiser | localisation engineer
        record-steward | records steward
        telemetry-engineer | telemetry engineer
        pipeline-owner | pipeline owner
    """,
    "system_administration": """
        sre | site reliability engineer
        junior-admin | junior administrator
        fleet-operator | fleet operator
        mail-and-web-admin | web and mail administrator
        shift-operator | operations clerk
        platform-engineer | platform engineer
    """,
}
