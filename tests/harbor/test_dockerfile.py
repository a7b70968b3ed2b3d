"""Dockerfiles are read by the rules of Docker's reference."""

import pytest

from tmax_gym.errors import HarborError
from tmax_gym.harbor.run.build import dockerfile
from tmax_gym.harbor.run.build.dockerfile.instructions import parse
from tmax_gym.harbor.run.build.dockerfile.lines import cut
from tmax_gym.harbor.run.build.dockerfile.words import Words

F = "FROM tmax/core\n"
VALUES = {"A": "foo.tar.gz", "E": "", "P": "/a/b/c", "S": "one  two"}


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("$A/${A}", "foo.tar.gz/foo.tar.gz"),
        ("$A_x|$Nx", "|"),
        ("${E:-d}|${E-d}|${N-d}|${N:-d}", "d||d|d"),
        ("${E:+d}|${E+d}|${N+d}|${A:+d}", "|d||d"),
        ("${A#*.}|${A##*.}|${A#x}", "tar.gz|gz|foo.tar.gz"),
        ("${A%.*}|${A%%.*}|${A%?z}", "foo.tar|foo|foo.tar."),
        ("${P/b/X}|${P//\\//-}|${P/[a]/x}", "/a/X/c|-a-b-c|/a/b/c"),
        ("${N:-${A}}|${N:-'$A'}|${N:-a b}", "foo.tar.gz|$A|a b"),
        ("\\$A|\\${A}|'$A'|\"$E.\"|\"\\$A\"", "$A|${A}|$A|.|$A"),
        ('a\\ b|"\\x"|\\x|\'\\x\'', 'a b|\\x|x|\\x'),
        ("cost: $|$.", "cost: $|$."),
        ("`id` $(id)", "`id` $(id)"),
    ],
)  # fmt: skip
def test_variables_are_filled_in(text: str, filled: str) -> None:
    assert Words(VALUES).fill(text) == filled


@pytest.mark.parametrize(
    "text", ["'a", '"a', "${A", "${A:-x", "${}", "${A:x}", "${A:#x}", "${N:?no}", "${E:?no}"]
)
def test_a_wrong_substitution_is_reported(text: str) -> None:
    with pytest.raises(HarborError, match="Dockerfile: "):
        Words(VALUES).fill(text)


def test_a_value_is_divided_where_words_are_wanted() -> None:
    assert Words(VALUES).split("x$S '$S' \"$S\" $E") == ["xone", "two", "$S", "one  two"]


def test_continuations_join_without_a_blank_and_skip_comments() -> None:
    source = cut("FROM a\nRUN b\\\nc \\  \n# no\n\n   # no\n d\nCMD e \\\n")
    assert [line.rest for line in source.lines] == ["a", "bc  d", "e"]
    assert [(line.first, line.end) for line in source.lines][1] == (1, 7)


def test_a_doubled_backslash_continues_nothing() -> None:
    assert [line.rest for line in cut("FROM a\nRUN b \\\\\nRUN c\n").lines] == ["a", "b \\\\", "c"]


def test_directives_end_with_the_first_other_line() -> None:
    source = cut("# syntax=x/y:1\n# escape=`\n# escape of all\n#escape=\\\nFROM a`\nb\n")
    assert source.directives == {"syntax": "x/y:1", "escape": "`"}
    assert source.lines[0].rest == "ab"
    with pytest.raises(HarborError, match="twice"):
        cut("#escape=`\n#escape=\\\n")
    with pytest.raises(HarborError, match="none of"):
        cut("#escape=!\n")


def test_windows_lines_and_a_byte_order_mark_change_nothing() -> None:
    assert [line.rest for line in cut("\ufeffFROM a\r\nRUN b \\\r\n c\r\n").lines] == ["a", "b  c"]


def test_here_documents_belong_to_their_instruction() -> None:
    text = f'{F}RUN <<-A cat <<\'B C\' && true\n\t$x\n\tA\n $y\nB C\nRUN ["echo", "<<A"]\n'
    heredocs = parse(text).instructions[1].heredocs
    assert [(h.name, h.text, h.expands) for h in heredocs] == [
        ("A", "$x\n", True),
        ("B C", " $y\n", False),
    ]
    assert [i.word for i in parse(text).instructions] == ["FROM", "RUN", "RUN"]
    with pytest.raises(HarborError, match="has no end"):
        parse(f"{F}RUN <<EOF\nx\n")


def test_a_here_string_and_a_shift_are_the_shells_own() -> None:
    text = f"{F}RUN cat <<< word\nRUN echo $((1<<2))\n"
    assert [i.heredocs for i in parse(text).instructions] == [(), (), ()]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("RUN a\n", "no FROM"),
        (f"RUN a\n{F}", "RUN comes before FROM"),
        (f"{F}FETCH a\n", "FETCH is no instruction"),
        (f"{F}ENV A\n", "has no value"),
        (f"{F}ENV A=1 B\n", "no list of name=value"),
        (f"{F}SHELL /bin/sh\n", "JSON"),
        (f"{F}COPY [\"a\"]\n", "a source and a destination"),
        (f"{F}RUN\n", "says nothing"),
    ],
)  # fmt: skip
def test_what_breaks_a_rule_is_refused(text: str, message: str) -> None:
    assert message in dockerfile.obstacle(text)


def test_variables_hold_where_the_reference_says() -> None:
    text = (
        "ARG V=1\nARG W=${V}2\nFROM tmax/core:$W AS a\nRUN a\nARG V\nARG W=own\nENV V=env Z=$V\n"
        "RUN b\nFROM a\nRUN c\n"
    )
    runs = [s for s in dockerfile.read(text) if s.word == "RUN"]
    ours = [{k: v for k, v in s.env.items() if k != "PATH"} for s in runs]
    assert ours == [{}, {"V": "env", "W": "own", "Z": "1"}, {}]
    assert {k: v for k, v in runs[1].kept.items() if k != "PATH"} == {"V": "env", "Z": "1"}
    assert dockerfile.bases(text) == ("tmax/core:12",)


def test_the_base_images_path_is_known() -> None:
    (step,) = (s for s in dockerfile.read(f"{F}ENV PATH=/x:$PATH\n") if s.word == "ENV")
    assert step.kept["PATH"] == "/x:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def test_only_the_named_image_is_taken_for_another() -> None:
    text = (
        "ARG B=debian:12\nfrom  debian:12-slim\nFROM --platform=linux/amd64 $B \\\n AS x\n"
        "RUN echo FROM debian:12\n"
    )
    assert dockerfile.substituted(text, {"debian:12": "tmax/core"}) == (
        "ARG B=debian:12\nfrom  debian:12-slim\nFROM --platform=linux/amd64 tmax/core AS x\n"
        "RUN echo FROM debian:12\n"
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("RUN <<E\nx\nE", "here-documents"),
        ("COPY --link a /b", "COPY --link"),
        ("RUN --mount=type=cache,target=/x y", "RUN --mount"),
        ("ENV A=${B#c}", "the substitution ${B#"),
        ("ADD https://example.test/x.git /y", "ADD of a repository"),
        ("VOLUME /data\nRUN touch /data/x", "VOLUME"),
        ("USER 7:7\nWORKDIR /x", "WORKDIR after USER"),
        ("USER 7\nUSER root\nWORKDIR /x", ""),
        ("RUN echo ${B#c} && cat <<<x", ""),
        ("ENV A=\\${B#c}", ""),
        ("COPY --chown=1:1 a b", ""),
        ("VOLUME /data\nRUN touch /x", ""),
    ],
)
def test_what_buildkit_alone_builds_is_known(line: str, message: str) -> None:
    reason = dockerfile.buildkit_reason(f"# syntax=docker/dockerfile:1\n{F}{line}\n")
    assert reason == "" if not message else message in reason


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("COPY --link a /b", "COPY --link"),
        ("COPY --from=x a /b", "COPY --from"),
        ("COPY --chmod=u+x a /b", "--chmod=u+x"),
        ("COPY ../a /b", "from outside its directory"),
        ("ADD git@example.test:x.git /b", "downloads"),
        ("RUN --network=host a", "RUN --network"),
        ("RUN <<E\n#!/usr/bin/python3\nE", "an interpreter of its own"),
        ("USER 1000:0", "the user 1000:0"),
        ("HEALTHCHECK CMD true", "HEALTHCHECK"),
        ("RUN --network=none a", ""),
        ("USER 0", ""),
    ],
)
def test_what_cannot_be_followed_is_refused_with_its_name(line: str, message: str) -> None:
    reason = dockerfile.obstacle(f"{F}{line}\n")
    assert reason == "" if not message else message in reason


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.txt", "a.txt", True),
        ("*.txt", "d/a.txt", False),
        ("*", ".hidden", True),
        ("d/*", "d/a/b", False),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("[a-c]x", "bx", True),
        ("[^a]x", "bx", True),
        ("[^a]x", "ax", False),
        ("[!a]x", "bx", False),
        ("[!a]x", "!x", True),
        ("a\\*", "a*", True),
        ("a\\*", "ab", False),
        ("**/a", "b/a", True),
        ("**/a", "b/c/a", False),
        ("[\\]-]x", "]x", None),
        ("[\\]]x", "]x", True),
        ("[", "[", None),
        ("[]a]", "a", None),
        ("a\\", "a", None),
    ],
)
def test_sources_match_as_go_matches(pattern: str, path: str, matches: bool | None) -> None:
    if matches is None:
        with pytest.raises(HarborError, match="malformed"):
            dockerfile.glob(pattern)
    else:
        assert bool(dockerfile.glob(pattern).fullmatch(path)) is matches


@pytest.mark.parametrize(
    ("rules", "path", "hidden"),
    [
        ("a", "a", True),
        ("a", "b/a", False),
        ("a", "a/b/c", True),
        ("/a/", "a/b", True),
        ("./a//b/../c", "a/c", True),
        ("**/a", "a", True),
        ("**/a", "x/y/a/z", True),
        ("a/**", "a", False),
        ("a/**", "a/b/c", True),
        ("a/**/c", "a/c", True),
        ("a/**/c", "a/x/y/c", True),
        ("**.go", "x/y.go", True),
        ("*", "a/b", True),
        ("*.md\n!README.md", "README.md", False),
        ("!README.md\n*.md", "README.md", True),
        ("*.md\n!README*.md\nREADME-s.md", "README-s.md", True),
        ("a\n!a/b", "a/b", False),
        ("a\n!a/b", "a/c", True),
        ("# a\na#b", "a#b", True),
        (" # a", "# a", True),
        ("  a  ", "a", True),
        ("! a \n", "a", False),
        ("a?c", "a/c", False),
        ("[a-b]", "a", True),
        ("a.c", "abc", False),
        ("a\\*", "a*", True),
        ("\ufeffa", "a", True),
        ("..", "a", False),
        ("", "a", False),
    ],
)
def test_a_context_is_filtered_as_docker_does(rules: str, path: str, hidden: bool) -> None:
    assert dockerfile.read_rules(rules).hides(path) is hidden


@pytest.mark.parametrize("rules", ["!", "a[", "[a-"])
def test_rules_that_docker_refuses_are_refused(rules: str) -> None:
    with pytest.raises(HarborError, match=r"\.dockerignore"):
        dockerfile.read_rules(rules)
