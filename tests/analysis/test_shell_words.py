import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmax_gym.analysis.measures.shell_words import Simple, commands

MARKS = ["'", '"', "$(", ")", "(", "((", "$((", "`", "\0", "<<", "<<<", "<(", ">", "&", "|", ";"]
WORDS = [
    "a",
    "E",
    "{",
    "}",
    "${",
    "=",
    "f()",
    "#",
    "\\",
    " ",
    "\n",
    "case",
    "in",
    "esac",
    "for",
    "do",
]
PIECES = st.sampled_from([*MARKS, *WORDS, "done"])


def heads(script: str) -> list[str]:
    return sorted(command.words[0] for command in commands(script))


@pytest.mark.parametrize(
    ("script", "programs"),
    [
        ("a=1 b | c 2>&1 > x.txt && (d; e) & f", "b c d e f"),
        ("if ! a x; then b; elif c; then d; else e; fi # f", "a b c d e"),
        ("while a; do b; done < <(c f | d)", "a b c d"),
        ("for ((t = 0; t < 3; t++)); do a; done", "a"),
        ("for x in p q; do a $x; done", "a"),
        ("case $f in p|q) a ;; *) b <(c) ;; esac; d", "a b c d"),
        ('x() { a "$(b -k | c)"; }; x; d', "a b c d"),
        ("((r % 100 < 54)) && { a; ((q += 1)); }", "a"),
        ("v=(1 2); w=$(a); echo $((1 + 2)) `b`", "a b echo"),
        ("a 'x; y' \"z | $(b)\" \\; c", "a b"),
        ("a \\\n  -x; b", "a b"),
        ("a <<'E' && b\nc (x\nE\nd <<-F\n\te\n\tF\nf", "a b d f"),
        ("a &> /dev/null; b >& 2; c <<< d", "a b c"),
    ],
)
def test_the_programs_of_a_script_are_found(script: str, programs: str):
    assert heads(script) == programs.split()


def test_a_command_has_its_words_its_files_and_its_document():
    script = "cat -n 'a b'.csv > /app/out.txt 2>&1 <<END\nx y\nz\nEND\n"
    assert commands(script) == [Simple(("cat", "-n", "a b.csv"), ("/app/out.txt",), "x y\nz")]


def test_a_substitution_leaves_a_mark_in_its_word():
    assert [c.words for c in commands("rm x$(cat list)y")] == [("cat", "list"), ("rm", "x$()y")]


@given(st.lists(st.from_regex(r"[a-z]{1,6}", fullmatch=True), min_size=1, max_size=5))
def test_plain_words_stay_as_they_are(words: list[str]):
    assert [c.words for c in commands(" ".join(["run", *words]))] == [("run", *words)]


@given(st.lists(st.text("ab '|;$()<>\n", max_size=12), min_size=1, max_size=4))
def test_a_quoted_word_keeps_every_character(words: list[str]):
    quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
    assert commands(f"run {quoted}")[0].words == ("run", *words)


@given(st.lists(PIECES, max_size=30).map(lambda parts: " ".join(parts) + "".join(parts)))
def test_no_script_however_broken_is_refused(script: str):
    assert all(command.words for command in commands(script))
