"""Small tasks whose tests look at the world that a Dockerfile describes, as one table.

What a check expects comes from the Dockerfile reference, from the documentation of
`.dockerignore`, and from those of links and modes in a build context; no builder was asked.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field

F = "FROM tmax/core:latest\n"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True, slots=True)
class Link:
    target: str


@dataclass(frozen=True, slots=True)
class Made:
    """A file with a mode, or a directory if it has no content."""

    mode: int
    content: bytes | str | None = None


Entry = str | bytes | Link | Made


@dataclass(frozen=True, slots=True)
class World:
    """One task."""

    name: str
    dockerfile: str
    check: str
    """Shell commands in /tests/test.sh, which must all succeed."""
    files: Mapping[str, Entry] = field(default_factory=dict)
    """Paths below `environment/`; those that begin with `/` are relative to the task."""
    native: str = ""
    """Message of a refusal; "" if the world must be correct."""
    docker: str = ""
    """The same; if it begins with `may: `, a correct world is allowed as well."""


def archive(kind: str = "", **modes: int) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as out:
        for name, mode in (modes or {"inside": 0o640}).items():
            member = tarfile.TarInfo(f"box/{name}")
            member.size, member.mode, member.uid, member.gid = 2, mode, 1000, 33
            out.addfile(member, io.BytesIO(b"x\n"))
    packers = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
    return packers[kind](raw.getvalue()) if kind else raw.getvalue()


BUILDKIT = "may: BuildKit"
FAILS = "could not be built"
ENV = (
    World("env-path-grows", f"{F}ENV PATH=/x:$PATH\n", f'is "$PATH" "/x:{PATH}"'),
    World(
        "env-path-is-searched",
        f"{F}COPY own /x/\nENV PATH=/x:$PATH\nRUN own > /said\n",
        'is "$(cat /said)" here; own',
        {"own": Made(0o755, "#!/bin/sh\necho here\n")},
    ),
    World(
        "env-quotes",
        f'{F}ENV A="two words" B=\'$A\' C=a\\ b D="x\'y"\n',
        'is "$A|$B|$C|$D" "two words|\\$A|a b|x\'y"',
    ),
    World("env-rest-of-line", f"{F}ENV A the  rest\n", 'is "$A" "the  rest"'),
    World(
        "env-old-values-in-one-line",
        f"{F}ENV abc=hello\nENV abc=bye def=$abc\nENV ghi=$abc\n",
        'is "$abc $def $ghi" "bye hello bye"',
    ),
    World(
        "env-alternatives",
        f"{F}ENV A=1 E=\nENV B=${{A:+x}} C=${{U:+x}} D=${{U:-d}} G=${{E:-g}} H=${{A:-h}}\n",
        'is "$B|$C|$D|$G|$H" "x||d|g|1"',
    ),
    World(
        "env-escaped-dollar",
        f"{F}ENV A=1\nENV B=\\$A C=\\${{A}} D='${{A}}'\n",
        'is "$B|$C|$D" "\\$A|\\${A}|\\${A}"',
    ),
    World(
        "env-patterns",
        f"{F}ENV A=foo.tar.gz\n"
        "ENV B=${A#*.} C=${A##*.} D=${A%.*} E=${A%%.*} G=${A/o/0}\n",
        'is "$B|$C|$D|$E|$G" "tar.gz|gz|foo.tar|foo|f0o.tar.gz"',
        docker=BUILDKIT,
    ),
    World(
        "env-nested-default",
        f"{F}ENV A=1\nENV B=${{U:-${{A}}2}}\n",
        'is "$B" 12',
    ),
    World(
        "env-over-arg",
        f"{F}ARG A=arg\nENV A=env\nRUN echo $A > /a\nARG A=later\nRUN echo $A > /b\n",
        'is "$(cat /a /b)" "env\nenv"',
    ),
    World(
        "env-no-command-runs",
        f"{F}ENV A=$(id) B=`id`\n",
        'is "$A|$B" "\\$(id)|\\`id\\`"',
    ),
    World("env-in-a-later-run", f'{F}ENV A="x y"\nRUN echo "$A" > /a\n', 'is "$(cat /a)" "x y"'),
)
ARG = (
    World("arg-in-run", f"{F}ARG V=3\nRUN echo $V > /v\n", 'is "$(cat /v)" 3'),
    World("arg-is-not-kept", f"{F}ARG V=3\n", 'is "${V-unset}" unset'),
    World(
        "arg-before-from",
        f"ARG V=3\n{F}RUN echo ${{V-unset}} > /v\n",
        'is "$(cat /v)" unset',
    ),
    World("arg-again-in-stage", f"ARG V=3\n{F}ARG V\nRUN echo $V > /v\n", 'is "$(cat /v)" 3'),
    World(
        "arg-after-use",
        f"{F}RUN echo ${{V-unset}} > /v\nARG V=3\n",
        'is "$(cat /v)" unset',
    ),
    World("arg-without-value", f"{F}ARG V\nRUN echo ${{V-unset}} > /v\n", 'is "$(cat /v)" unset'),
    World(
        "arg-from-arg",
        f"{F}ARG A=1\nARG B=${{A}}2\nENV C=$B\nRUN echo $B > /b\n",
        'is "$(cat /b) $C" "12 12"',
    ),
    World("arg-in-copy", f"{F}ARG D=/put\nCOPY f $D/\n", "[ -f /put/f ]", {"f": "1"}),
    World("arg-in-from", "ARG B=tmax/core\nFROM ${B}:latest\nRUN echo 1 > /v\n", "[ -s /v ]"),
    World(
        "arg-of-platform",
        f"{F}ARG TARGETOS\nARG TARGETARCH\nRUN echo $TARGETOS/$TARGETARCH > /v\n",
        'm=$(uname -m); is "$(cat /v)" "linux/$(echo $m | sed s/x86_64/amd64/\\;s/aarch64/arm64/)"',
    ),
    World(
        "arg-proxy-is-unset",
        f"{F}RUN echo ${{NO_PROXY-unset}} > /v\n",
        'is "$(cat /v)" unset',
    ),
    World(
        "arg-quoted",
        f'{F}ARG V="a b"\nRUN echo "$V" > /v\n',
        'is "$(cat /v)" "a b"',
    ),
)
TREE: Mapping[str, Entry] = {"d/a": "a", "d/.h": "h", "d/s/b": "b", "f": "f"}
COPY = (
    World("copy-file", f"{F}COPY f /new\n", 'is "$(cat /new)" f', TREE),
    World(
        "copy-directory-by-content",
        f"{F}COPY d /new\n",
        '[ ! -e /new/d ]; is "$(cd /new && find . | LC_ALL=C sort | xargs)" ". ./.h ./a ./s ./s/b"',
        TREE,
    ),
    World("copy-into-slash", f"{F}COPY f /new/\n", '[ -d /new ]; is "$(cat /new/f)" f', TREE),
    World("copy-two", f"{F}COPY f d/a /new/\n", "[ -f /new/f ]; [ -f /new/a ]", TREE),
    World("copy-file-and-directory", f"{F}COPY f d /n/\n", "[ -f /n/f ]; [ -f /n/s/b ]", TREE),
    World("copy-two-without-slash", f"{F}COPY f d/a /new\n", "true", TREE, FAILS, FAILS),
    World("copy-missing", f"{F}COPY nothing /new\n", "true", TREE, FAILS, FAILS),
    World("copy-into-existing", f"{F}RUN mkdir /new\nCOPY f /new\n", "[ -f /new/f ]", TREE),
    World("copy-star", f"{F}COPY *.txt /n/\n", 'is "$(ls /n | xargs)" "a.txt b.txt"',
          {"a.txt": "", "b.txt": "", "c.md": "", "d/e.txt": ""}),
    World("copy-question", f"{F}COPY a?.txt /n/\n", 'is "$(ls /n | xargs)" "ab.txt"',
          {"ab.txt": "", "abc.txt": "", "a.txt": ""}),
    World("copy-class", f"{F}COPY [a-c]x[^9] /n/\n", 'is "$(ls /n | xargs)" "ax1 cx2"',
          {"ax1": "", "cx2": "", "bx9": "", "dx1": ""}),
    World("copy-star-has-dots", f"{F}COPY d/* /n/\n", "[ -f /n/.h ]; [ -f /n/b ]", TREE),
    World("copy-star-stays-in-a-directory", f"{F}COPY */a /n/\n",
          'is "$(find /n -type f)" /n/a', {"d/a": "", "d/e/a": "x", "a": "y"}),
    World("copy-json-blanks", f'{F}COPY ["a b", "/to here/"]\n', '[ -f "/to here/a b" ]',
          {"a b": ""}),
    World("copy-relative", f"{F}WORKDIR /w\nCOPY f in/\nCOPY f g\n",
          "[ -f /w/in/f ]; [ -f /w/g ]", TREE),
    World("copy-dot-dot", f"{F}WORKDIR /w\nCOPY d .\n", "[ -f /w/s/b ]; [ ! -e /w/d ]", TREE),
    World("copy-all", f"{F}COPY . /all/\n", "[ -f /all/Dockerfile ]; [ -f /all/d/.h ]", TREE),
    World("copy-leading-slash", f"{F}COPY /d/a /new\n", 'is "$(cat /new)" a', TREE),
    World("copy-makes-parents", f"{F}COPY f /p/q/r\n",
          'is "$(at /p) $(at /p/q)" "755:0:0 755:0:0"', TREE),
    World("copy-root-owns", f"{F}COPY d /new\n", 'is "$(at /new/a)" 644:0:0', TREE),
    World("copy-empty-directory", f"{F}COPY d /new\n", '[ -d /new/void ]; is "$(ls /new)" void',
          {"d/void": Made(0o755)}),
    World("copy-file-modes", f"{F}COPY d /new\n",
          'is "$(at /new/a) $(at /new/b) $(at /new/c)" "600:0:0 711:0:0 444:0:0"',
          {"d/a": Made(0o600, "a"), "d/b": Made(0o711, "b"), "d/c": Made(0o444, "c")}),
    World("copy-directory-modes", f"{F}COPY d /new\n",
          'is "$(at /new/t) $(at /new/p)" "1777:0:0 700:0:0"',
          {"d/t": Made(0o1777), "d/p": Made(0o700), "d/p/x": "x"}),
    World("copy-top-directory-has-its-own-mode", f"{F}COPY d /new\n", 'is "$(at /new)" 755:0:0',
          {"d": Made(0o700), "d/x": ""}),
    World("copy-set-id", f"{F}COPY d /new\n", 'is "$(at /new/s) $(at /new/g)" "4755:0:0 2755:0:0"',
          {"d/s": Made(0o4755, "s"), "d/g": Made(0o2755, "g")}, docker=BUILDKIT),
    World("copy-keeps-an-existing-mode", f"{F}COPY d /tmp\n", 'is "$(at /tmp)" 1777:0:0', TREE),
    World("copy-chown-numbers", f"{F}COPY --chown=1000:33 d /new\n",
          'is "$(at /new) $(at /new/s/b)" "755:1000:33 644:1000:33"', TREE),
    World("copy-chown-names", f"{F}COPY --chown=www-data:mail f /new\n",
          'is "$(at /new)" 644:33:8', TREE),
    World("copy-chown-user-alone", f"{F}COPY --chown=77 f /new\nCOPY --chown=www-data f /n2\n",
          'is "$(at /new) $(at /n2)" "644:77:77 644:33:33"', TREE),
    World("copy-chown-nobody-known", f"{F}COPY --chown=nosuch f /new\n", "true", TREE, FAILS,
          FAILS),
    World("copy-chmod", f"{F}COPY --chmod=640 f /new\n", 'is "$(at /new)" 640:0:0', TREE,
          docker=BUILDKIT),
    World("copy-through-a-link", f"{F}COPY own /bin/own\n", "[ -L /bin ]; [ -x /usr/bin/own ]",
          {"own": Made(0o755, "#!/bin/sh\n")}),
    World("copy-onto-a-link", f"{F}RUN ln -s /target /link\nCOPY f /link\n",
          '[ -L /link ]; is "$(cat /target)" f', TREE),
    World("copy-over-a-file", f"{F}RUN echo old > /n; chmod 700 /n\nCOPY f /n\n",
          'is "$(cat /n) $(at /n)" "f 644:0:0"', TREE),
    World("copy-variable", f"{F}ENV N=d\nCOPY ${{N}}/a /new\n", "[ -f /new ]", TREE),
)  # fmt: skip
LINKS = (
    World("link-in-a-directory", f"{F}COPY d /new\n",
          'is "$(readlink /new/l) $(cat /new/l)" "a x"', {"d/a": "x", "d/l": Link("a")}),
    World("link-that-is-named", f"{F}COPY l /new\n", '[ ! -L /new ]; is "$(cat /new)" x',
          {"a": "x", "l": Link("a")}),
    World("link-to-a-directory", f"{F}COPY d /new\n",
          'is "$(readlink /new/l)" s; [ -f /new/l/b ]', {"d/s/b": "", "d/l": Link("s")}),
    World("link-to-a-directory-that-is-named", f"{F}COPY l /new\n", "[ -f /new/b ]",
          {"s/b": "", "l": Link("s")}),
    World("link-that-dangles", f"{F}COPY d /new\n", 'is "$(readlink /new/l)" nowhere',
          {"d/l": Link("nowhere")}),
    World("link-that-is-absolute", f"{F}COPY d /new\n",
          'is "$(readlink /new/l) $(readlink /new/m)" "/etc/passwd /no/such"',
          {"d/l": Link("/etc/passwd"), "d/m": Link("/no/such")}),
    World("link-to-itself", f"{F}COPY d /new\n", 'is "$(readlink /new/l)" l; [ ! -e /new/l ]',
          {"d/l": Link("l")}),
    World("link-up", f"{F}COPY d /new\n", 'is "$(readlink /new/l)" ../f',
          {"d/l": Link("../f"), "f": ""}),
    World("link-that-dangles-and-is-named", f"{F}COPY l /new\n", "true",
          {"l": Link("nowhere")}, FAILS, FAILS),
    World("link-in-the-tests", F,
          'is "$(readlink /tests/l) $(cat /tests/l)" "data/x 1"; [ -d /tests/void ]; '
          'is "$(stat -c %a /tests/data/x)" 600',
          {"/tests/data/x": Made(0o600, "1"), "/tests/l": Link("data/x"),
           "/tests/void": Made(0o755)}),
    World("name-in-other-letters", f"{F}COPY d /new\n", '[ -f "/new/größe ü" ]; [ -f "/new/-n" ]',
          {"d/größe ü": "", "d/-n": ""}),
    World("name-without-an-encoding", f"{F}COPY d /new\n", "[ -f \"$(printf '/new/a\\377b')\" ]",
          {"d/a\udcffb": ""}),
    World("name-of-255-bytes", f"{F}COPY d /new\n", f"[ -f /new/{'n' * 255} ]",
          {f"d/{'n' * 255}": ""}),
    World("path-of-600-bytes", f"{F}COPY d /new\n", f"[ -f /new/{'/'.join(['n' * 150] * 4)} ]",
          {f"d/{'/'.join(['n' * 150] * 4)}": ""}),
)  # fmt: skip
ADD = (
    World("add-tar", f"{F}ADD a.tar /new\n", "[ -f /new/box/inside ]; [ ! -e /new/a.tar ]",
          {"a.tar": archive()}),
    World("add-tar-by-its-content", f"{F}ADD a.bin /n/\n", "[ -f /n/box/inside ]",
          {"a.bin": archive("gz")}),
    World("add-bzip2", f"{F}ADD a /n/\n", "[ -f /n/box/inside ]", {"a": archive("bz2")}),
    World("add-xz", f"{F}ADD a.tar.xz /n/\n", "[ -f /n/box/inside ]",
          {"a.tar.xz": archive("xz")}),
    World("add-keeps-owners", f"{F}ADD a.tar /n/\n",
          'is "$(at /n/box/p) $(at /n/box/q)" "600:1000:33 755:1000:33"',
          {"a.tar": archive(p=0o600, q=0o755)}),
    World("add-no-archive", f"{F}ADD a.tar.gz /n/\n", 'is "$(cat /n/a.tar.gz)" text',
          {"a.tar.gz": "text"}),
    World("add-directory", f"{F}ADD d /n/\n", "[ -f /n/a.tar ]; [ ! -e /n/box ]",
          {"d/a.tar": archive()}),
    World("add-plain-gzip", f"{F}ADD a.gz /n/\n", "[ -f /n/a.gz ]",
          {"a.gz": gzip.compress(b"no archive", mtime=0)}),
    World("copy-tar", f"{F}COPY a.tar /n/\n", "[ -f /n/a.tar ]; [ ! -e /n/box ]",
          {"a.tar": archive()}),
    World("add-download", f"{F}ADD http://127.0.0.1:9/x /n/\n", "true", {}, "downloads", FAILS),
)  # fmt: skip
SECRET: Mapping[str, Entry] = {
    "secret": "s", "a/secret": "s", "a/b/secret": "s", "kept": "k", "a/kept": "k", "a/b/kept": "k",
}  # fmt: skip


def ignoring(name: str, rules: str, kept: str, **more: str) -> World:
    """Return a world in which exactly these files arrive."""
    check = f'is "$(cd /all && find . -type f | cut -c3- | LC_ALL=C sort | xargs)" "{kept}"'
    files: Mapping[str, Entry] = {**SECRET, ".dockerignore": rules}
    return World(f"ignore-{name}", f"{F}COPY . /all/\n", check, files, **more)


IGNORE = (
    ignoring("at-the-root", ".dockerignore\nDockerfile\nsecret\n",
             "a/b/kept a/b/secret a/kept a/secret kept"),
    ignoring("anywhere", ".dockerignore\nDockerfile\n**/secret\n", "a/b/kept a/kept kept"),
    ignoring("one-level", ".dockerignore\nDockerfile\n*/secret\n",
             "a/b/kept a/b/secret a/kept kept secret"),
    ignoring("a-directory", ".dockerignore\nDockerfile\na/b\n", "a/kept a/secret kept secret"),
    ignoring("an-exception", "*\n!a/b/kept\n", "a/b/kept"),
    ignoring("order", "!a/secret\n**\n!kept\nkept\n!a/kept\n", "a/kept"),
    ignoring("comments-and-slashes",
             "# kept\n.dockerignore\nDockerfile\n/secret/\n\n  a/secret  \n./a//b/\n",
             "a/kept kept"),
    ignoring("itself-is-kept", "secret\na\n", ".dockerignore Dockerfile kept"),
    ignoring("classes", ".dockerignore\nDockerfile\na/[a-c]\n?ecret\n", "a/kept a/secret kept"),
    World("ignore-named", f"{F}COPY secret /n\n", "true",
          {"secret": "", ".dockerignore": "secret\n"}, FAILS, FAILS),
    World("ignore-by-its-own-file", f"{F}COPY . /all/\n", "[ ! -e /all/s ]; [ -e /all/t ]",
          {"s": "", "t": "", ".dockerignore": "t\n", "Dockerfile.dockerignore": "s\n"},
          docker=BUILDKIT),
    World("ignore-a-link", f"{F}COPY . /all/\n", "[ ! -L /all/l ]; [ -f /all/f ]",
          {"f": "", "l": Link("f"), ".dockerignore": "l\n"}),
)  # fmt: skip
RUN = (
    World("run-continued", f"{F}RUN echo a \\\n  # a comment\n\n  && echo b \\\n > /v\n",
          'is "$(cat /v)" b'),
    World("run-joined-without-a-blank", f"{F}RUN echo ab\\\ncd > /v\n", 'is "$(cat /v)" abcd'),
    World("run-list-has-no-shell", f'{F}RUN ["touch", "/$HOME"]\n', "[ -e '/$HOME' ]"),
    World("run-shell", f'{F}SHELL ["/bin/bash", "-c"]\nRUN echo $BASH > /v\n',
          'is "$(cat /v)" /bin/bash'),
    World("run-heredoc", f"{F}RUN <<EOF\necho one > /v\necho two >> /v\nEOF\n",
          'is "$(cat /v | xargs)" "one two"', docker=BUILDKIT),
    World("run-heredoc-to-a-program", f"{F}ENV A=1\nRUN cat <<'EOF' > /v\n$A\nEOF\n",
          "is \"$(cat /v)\" '$A'", docker=BUILDKIT),
    World("copy-heredoc", f"{F}ENV A=1\nCOPY <<EOF <<'two' /n/\nx $A\nEOF\ny $A\ntwo\n",
          "is \"$(cat /n/EOF) $(cat /n/two)\" 'x 1 y $A'", docker=BUILDKIT),
    World("run-other-escape", f"# escape=`\n{F}ENV A=a\\b\nRUN echo `\n  c > /v\n",
          "is \"$A $(cat /v)\" 'a\\b c'"),
    World("run-leaves-no-process",
          f"{F}RUN (sleep 2; touch /late) > /dev/null 2>&1 &\nRUN sleep 3\n", "[ ! -e /late ]"),
    World("run-environment",
          f"{F}RUN env | cut -d= -f1 | grep -v '^HOSTNAME$' | LC_ALL=C sort > /v\n",
          'is "$(cat /v | xargs)" "HOME PATH PWD"'),
    World("run-umask", f"{F}RUN touch /v\n", 'is "$(at /v)" 644:0:0'),
    World("run-hosts-are-the-engines", f"{F}RUN echo 10.0.0.1 mark >> /etc/hosts\n",
          "[ $(grep -c mark /etc/hosts) = 0 ]"),
    World("run-fails", f"{F}RUN exit 3\n", "true", {}, FAILS, FAILS),
    World("run-mount", f"{F}RUN --mount=type=tmpfs,target=/mnt touch /mnt/x\n", "[ ! -e /mnt/x ]",
          {}, "RUN --mount", BUILDKIT),
    World("run-lower-case", "from tmax/core:latest as it\nrun touch /v\nenv A=1\n",
          '[ -e /v ]; is "$A" 1'),
    World("run-tmp-stays", f"{F}RUN touch /tmp/v /dev/shm/w\nRUN cp /tmp/v /v\n",
          "[ -e /v ]; [ -e /tmp/v ]; [ ! -e /dev/shm/w ]"),
)  # fmt: skip
OTHERS = (
    World("workdir-made", f"{F}WORKDIR /a/b\n", 'is "$PWD $(at /a) $(at /a/b)" '
          '"/a/b 755:0:0 755:0:0"'),
    World("workdir-relative", f"{F}WORKDIR /a\nWORKDIR b\nWORKDIR ../c\n", 'is "$PWD" /a/c'),
    World("workdir-variable", f"{F}ENV D=/x\nWORKDIR $D/y\nRUN touch here\n", "[ -e /x/y/here ]"),
    World("workdir-of-nothing", f"{F}RUN pwd > /v\n", 'is "$PWD $(cat /v)" "/ /"'),
    World("workdir-that-is-there", f"{F}RUN mkdir -m 700 /w; chown 33:33 /w\nWORKDIR /w\n",
          'is "$(at /w)" 700:33:33'),
    World("workdir-with-blanks", f"{F}WORKDIR /a b\n", 'is "$PWD" "/a b"'),
    World("user-root", f"{F}USER root\nRUN id -u > /v\n", 'is "$(cat /v)" 0'),
    World("user-other", f"{F}RUN chmod 777 /srv\nUSER daemon\nRUN id -un > /srv/v\n",
          'is "$(cat /srv/v)" daemon', {}, "it works as the user daemon"),
    World("workdir-of-another-user", f"{F}USER daemon\nWORKDIR /made\n",
          'is "$(stat -c %U /made)" daemon', {}, "it works as the user daemon", BUILDKIT),
    World("entrypoint-sets-up", f'{F}COPY e /e\nENV A=x\nENTRYPOINT ["/e", "one"]\n',
          'is "$(cat /done)" "x one sh -c sleep infinity"',
          {"e": Made(0o755, '#!/bin/sh\necho $A "$@" > /done\nshift\nexec "$@"\n')}),
    World("entrypoint-that-ends", f'{F}ENTRYPOINT ["/bin/true"]\n', "true", {},
          "ENTRYPOINT", "ENTRYPOINT"),
    World("entrypoint-with-a-service", f'{F}COPY e /e\nENTRYPOINT ["/e"]\n', "true",
          {"e": Made(0o755, '#!/bin/sh\nsleep 4000 &\nexec "$@"\n')}, "leftovers", "leftovers"),
    World("cmd-gives-way", f'{F}CMD ["touch", "/v"]\n', "[ ! -e /v ]"),
    World("volume-is-there", f"{F}VOLUME /data /more\n", "[ -d /data ]; [ -d /more ]"),
    World("words-without-effect",
          f'{F}LABEL a="b c" d=e\nEXPOSE 80/tcp\nSTOPSIGNAL SIGTERM\nMAINTAINER me\n'
          "ONBUILD RUN touch /v\n", "[ ! -e /v ]"),
    World("health-check", f"{F}HEALTHCHECK --interval=5m CMD true\n", "true", {}, "HEALTHCHECK"),
    World("health-check-none", f"{F}HEALTHCHECK NONE\n", "true"),
    World("two-stages", f"FROM tmax/core AS one\nRUN echo 1 > /v\n{F}COPY --from=one /v /w\n",
          'is "$(cat /w)" 1; [ ! -e /v ]', {}, "several stages"),
    World("no-such-instruction", f"{F}FETCH x\n", "true", {}, "FETCH", "FETCH"),
    World("other-syntax", f"# syntax=example.test/own:1\n{F}", "true", {}, "syntax", "syntax"),
    World("usual-syntax", f"# syntax=docker/dockerfile:1\n{F}RUN touch /v\n", "[ -e /v ]"),
)  # fmt: skip
WORLDS = (*ENV, *ARG, *COPY, *LINKS, *ADD, *IGNORE, *RUN, *OTHERS)
