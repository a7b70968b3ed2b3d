"""Programs of families as source files: each compiles, and is formatted where its bytes allow."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tmax_gym import families
from tmax_gym.families.shared.programs import HOLE, SECTION, program_text
from tmax_gym.nodes import text
from tmax_gym.sandboxes import Backend, Sandbox, images
from tmax_gym.world import toolchains


def listed(names: str) -> frozenset[str]:
    return frozenset(names.split())


HERE = Path(families.__file__).parent
PROGRAMS = tuple(
    str(file.relative_to(HERE)) for file in sorted(HERE.glob("*/*/programs/*")) if file.is_file()
)
LANGUAGE = {f".{suffix}": language for language, suffix in toolchains.SUFFIX.items()}
PARSERS = {
    ".py": ("python3", "-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())"),
    ".sh": ("bash", "-n"),
    ".awk": ("gawk", "--pretty-print=/dev/null", "-f"),
    ".sql": ("sh", "-c", 'sqlite3 -bail :memory: < "$0"'),
}
"""What only reads a program that needs no compiler; SQL also runs, on no rows."""
AS_THEY_ARE = listed("""
    data_processing/dag_runner/main.py
    data_processing/form_batch/read.py
    data_processing/ledger_clean/main.py
    data_processing/passage_board/feed.py
    data_processing/passage_board/tables.py
    data_processing/quality_gate/main.py
    data_processing/resample/main.py
    data_processing/reversible_mask/main.go
    data_processing/reversible_mask/main.py
    data_processing/schema_etl/main.py
    data_processing/step_change/main.py
    data_processing/template_mill/main.py
    data_processing/tone_telemetry/decode.py
    data_querying/keyset_api/server.py
    data_querying/ranked_search/main.py
    data_querying/scoreboard/read.py
    data_querying/tone_poll/decode.py
    data_querying/triple_patterns/main.py
    data_science/chart_reader/read.py
    data_science/intake_gate/main.py
    data_science/leak_fix/main.py
    data_science/regime_shift/main.py
    data_science/seeded_bootstrap/main.go
    data_science/seeded_bootstrap/main.py
    data_science/subword/main.go
    data_science/subword/main.py
    debugging/audio_dropouts/find.py
    debugging/bisect/tool.py
    debugging/drifting_sums/main.go
    debugging/drifting_sums/main.py
    debugging/dump_desk/entries.py
    debugging/dump_desk/magic.py
    debugging/dump_desk/packets.py
    debugging/dump_desk/stick.py
    debugging/frame_order/read.py
    debugging/shrink_it/ddmin.py
    file_operations/backup_bug/main.py
    file_operations/bulk_rename/main.py
    file_operations/carve/scan.py
    file_operations/drop_folder/catalog.py
    file_operations/drop_folder/parts.py
    file_operations/drop_folder/service.py
    file_operations/hardlink_dedup/main.py
    file_operations/log_stitcher/main.py
    file_operations/matryoshka/main.py
    file_operations/reel_cut/slates.py
    file_operations/safe_extract/rules.py
    file_operations/safe_extract/vet.py
    file_operations/unknown_packer/main.py
    scientific_computing/affine_align/main.go
    scientific_computing/affine_align/main.py
    scientific_computing/beat_note/measure.py
    scientific_computing/beat_note/parts.py
    scientific_computing/exact_monte_carlo/main.go
    scientific_computing/grid_archive/read.py
    scientific_computing/sign_error/integrals.py
    scientific_computing/sign_error/main.py
    scientific_computing/tile_gateway/gateway.py
    scientific_computing/tracer_video/follow.py
    scientific_computing/unit_police/checker.py
    security/edge_filter/edge.py
    security/edge_filter/upstream.py
    security/pii_redactor/main.go
    security/pii_redactor/main.py
    security/sealed_archive/main.py
    security/sealed_archive/read_calls.py
    security/sealed_archive/read_cards.py
    security/traversal_guard/main.py
    security/trust_chain/main.py
    shared/readers/film.py
    shared/readers/picture.py
    shared/readers/sound.py
    software_engineering/odd_grammar/main.go
    software_engineering/odd_grammar/main.py
    software_engineering/shard_balance/plan.py
    software_engineering/tiny_vm/dump.py
    software_engineering/tiny_vm/main.go
    software_engineering/tiny_vm/main.py
    software_engineering/wire_frames/crc.go
    software_engineering/wire_frames/crc.py
    software_engineering/wire_frames/main.go
    software_engineering/wire_frames/main.py
    software_engineering/wire_frames/nibbles.py
    system_administration/bad_gateway/edge.py
    system_administration/bad_gateway/service.py
    system_administration/blink_codes/read.py
    system_administration/calendar_math/main.py
    system_administration/calendar_math/pieces.py
    system_administration/converge/drill.py
    system_administration/push_policy/drill.py
    system_administration/space_crisis/main.py
""")
"""Programs that a formatter would change, but whose bytes stored proofs depend on."""


def sample(program: str) -> str:
    """Return a program with its holes filled by their samples, without marks of sections."""
    source = (HERE / program).read_text(encoding="utf-8")
    if SECTION.search(source):
        apart = "\n\n\n" if program.endswith(".py") else "\n\n"
        source = re.sub(r"\n{3,}", apart, SECTION.sub("\n\n", source)).lstrip("\n")
    return HOLE.sub(lambda hole: hole[2] or hole[5] or hole[0], source)


def short(program: str) -> str:
    return program.replace("/programs/", "/")


def of(*suffixes: str) -> list[str]:
    return [program for program in PROGRAMS if program.endswith(suffixes)]


@pytest.fixture(scope="module")
def machine(native_backend: Backend) -> Iterator[Sandbox]:
    if "poly" not in images.available():
        pytest.skip("poly is not built: tmax images build poly")
    with closing(native_backend.open("poly")) as opened:
        yield opened


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_compiles(machine: Sandbox, program: str) -> None:
    suffix = Path(program).suffix
    path = f"/app/trial{suffix}"
    machine.put([text(path, sample(program))])
    parser = PARSERS.get(suffix)
    words = (*parser, path) if parser else toolchains.build(LANGUAGE[suffix], path, "/tmp/trial")
    done = machine.exec(list(words), timeout=120)
    assert done.exit_code == 0, done.stderr.decode()


@pytest.mark.parametrize("program", of(".go"))
def test_gofmt_changes_only_what_proofs_hold_as_it_is(machine: Sandbox, program: str) -> None:
    machine.put([text("/app/trial.go", sample(program))])
    done = machine.exec(["gofmt", "-l", "/app/trial.go"], timeout=60)
    assert done.exit_code == 0, done.stderr.decode()
    assert bool(done.stdout) == (short(program) in AS_THEY_ARE)


@pytest.mark.parametrize("program", of(".py"))
def test_ruff_changes_only_what_proofs_hold_as_it_is(program: str) -> None:
    source = sample(program)
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(HERE / program), "-"]
    command.insert(4, "--no-force-exclude")
    done = subprocess.run(command, input=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (done.stdout != source) == (short(program) in AS_THEY_ARE)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_text_of_a_program_has_no_sample_left(program: str) -> None:
    folder, _, name = program.rpartition("/programs/")
    package = f"{families.__name__}.{folder.replace('/', '.')}"
    assert not HOLE.search(program_text(package, name))
