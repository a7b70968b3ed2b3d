import pytest

from tmax_gym.analysis.measures.programs import Use, profile


@pytest.mark.parametrize(
    ("script", "programs"),
    [
        ("cd /app; echo x; read y; export Z=1", ""),
        ("/usr/bin/sort x | uniq", "sort uniq"),
        ("/app/bin/tool x; /tmp/a.sh; ./b; $TOOL", ""),
        ("find . -exec file -b {} + | grep x", "find file grep"),
        ("find . -name '*.c' -exec gcc -c {} \\; -print", "find gcc"),
        ("ls | xargs -n 1 -I {} wc -l {}", "ls xargs wc"),
        ("timeout 5 env A=1 nice awk 1", "timeout env nice awk"),
        ("exec python3 x.py", "python3"),
        ("bash -c 'jq . a | tee b'", "bash jq tee"),
        ("bash <<E\nsed -n 1p x\nE", "bash sed"),
        ("cat > run.sh <<'E'\n#!/bin/sh\nredis-server &\nE", "cat redis-server"),
        ("cat > x.py <<'E'\nimport os\nE", "cat"),
    ],
)
def test_programs_are_counted_wherever_they_are_started(script: str, programs: str):
    assert set(profile([script]).programs) == set(programs.split())


def test_a_function_of_an_earlier_command_is_no_program():
    assert profile(["slug() { tr A-Z a-z; }", "slug X"]).programs == ("tr",)


def test_a_use_is_a_program_its_options_and_the_kind_of_its_files():
    seen = profile(["sort -t, -k3,3nr --unique /app/a.csv > /app/b.json", "git commit -m x"])
    assert seen.fingerprint == {
        Use("sort", "--unique -k -t", "table"),
        Use("sort", "--unique -k -t", "records"),
        Use("git", "commit -m", ""),
    }


def test_values_do_not_change_a_fingerprint():
    assert (
        profile(["head -n 5 /app/a.csv"]).fingerprint
        == profile(["head -n 9 /app/zoo/b.csv"]).fingerprint
    )
