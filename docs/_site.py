"""What MkDocs cannot do by itself: documents from elsewhere in the repository become pages.

Covers their links, pictures of mermaid blocks that need no script in the browser, and the
reference of the command line.  Everything is read from this checkout: a build needs no network.
"""

import hashlib
import posixpath
import re
from functools import partial
from pathlib import Path
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from typer.cli import get_docs_for_click

from tmax_gym.cli import app
from tmax_gym.cli.plugins import loaded

ROOT = Path(__file__).parent.parent
ELSEWHERE = {
    "benchmarks.md": "benchmarks/README.md",
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "data-card.md": "env_specs/README.md",
    "pictures/learning.svg": "benchmarks/results/learning.svg",
    "pictures/lm_learning.svg": "benchmarks/results/lm_learning.svg",
    "pictures/stability_16.svg": "benchmarks/results/stability_16.svg",
    "pictures/stability_4.svg": "benchmarks/results/stability_4.svg",
    "pictures/stability_long_4.svg": "benchmarks/results/stability_long_4.svg",
    "results.md": "benchmarks/RESULTS.md",
    "runs.md": "tmax_gym/bench/README.md",
    "sandboxes.md": "tmax_gym/sandboxes/README.md",
    "training.md": "tmax_trainers/README.md",
}
"""Pages and pictures of the site, and the files that they are."""
PAGES = {source: page for page, source in ELSEWHERE.items()}
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)")
_MERMAID = re.compile(r"^```mermaid\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the documents from elsewhere, and the reference of the command line."""
    for page, source in ELSEWHERE.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    files.append(File.generated(config, "reference/cli.md", content=command_line()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Show mermaid blocks as pictures, and let links lead to pages of the site."""
    source = page.file.abs_src_path
    if source is None:  # made here
        return markdown
    markdown = _MERMAID.sub(partial(_picture, page), markdown)
    folder = Path(source).parent.relative_to(ROOT)
    return _LINK.sub(partial(_link, page, folder), markdown)


def command_line() -> str:
    """Return the reference of `tmax` and of all its commands, as typer writes it."""
    command = typer.main.get_command(loaded(app))
    _summarise(command)
    return str(get_docs_for_click(obj=command, ctx=typer.Context(command), name="tmax"))


def _summarise(command: Any) -> None:
    """Give every command its first sentence as a summary, which would be cut off otherwise."""
    command.short_help = (command.help or "").partition("\n")[0]
    for inner in getattr(command, "commands", {}).values():
        _summarise(inner)


def _picture(page: Page, block: re.Match[str]) -> str:
    """Return the picture of a mermaid block, which is named after what the block says."""
    name = hashlib.blake2b(block[1].encode(), digest_size=6).hexdigest()
    file = ROOT / "docs" / "pictures" / f"{name}.svg"
    if not file.exists():
        raise PluginError(
            f"{page.file.src_uri} has a mermaid block without a picture.  Save the block as "
            f"{name}.mmd, then: npx -p @mermaid-js/mermaid-cli mmdc -t neutral -i {name}.mmd "
            f"-o docs/pictures/{name}.svg"
        )
    return f"![]({_relative(page, f'pictures/{file.name}')}){{ .diagram }}"


def _link(page: Page, folder: Path, link: re.Match[str]) -> str:
    """Return a link to a page of the site, or the words alone where it leads to another file."""
    sign, words, target, anchor = link[1], link[2], link[3], link[4] or ""
    if (found := posixpath.normpath(folder / target)) in PAGES:
        there = PAGES[found]
    elif found.startswith("docs/"):
        there = found.removeprefix("docs/")
    elif (ROOT / found).exists():
        return words
    else:
        return link[0]  # MkDocs reports it
    return f"{sign}[{words}]({_relative(page, there)}{anchor})"


def _relative(page: Page, there: str) -> str:
    return posixpath.relpath(there, posixpath.dirname(page.file.src_uri) or ".")
