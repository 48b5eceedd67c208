"""A page: one HTML file that stands alone, for a browser or a notebook, whatever the text in it says.

Nothing is fetched: a page carries its style, its script and its data, and a content security policy forbids everything else. Text
is escaped by the templates, and even markup that got through could not run, since the policy names the page's one script by hash.
"""

from __future__ import annotations

import os
from base64 import b64encode
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any
from uuid import uuid4

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

__all__ = ["Page", "asset", "counted", "fill", "render"]

_FRAME = Markup(
    '<iframe title="{}" srcdoc="{}" sandbox="allow-scripts" loading="lazy" '
    'style="width:100%;height:{}px;border:1px solid #8886;border-radius:8px;resize:vertical"></iframe>'
)


@dataclass(frozen=True)
class Page:
    """A view as HTML: a notebook shows it, `save` writes it, `html` is the text of the file.

    Args:
        html: the whole document.
        title: its title.
        told: what is on it, in a few words.
        height: of the frame in a notebook, in pixels.
    """

    html: str = field(repr=False)
    title: str
    told: str = ""
    height: int = 680

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the file, all of it or nothing, and return where it is.

        Args:
            path: where to; an earlier file is replaced.

        Raises:
            IsADirectoryError: the path is a folder.
            FileNotFoundError: the folder of the file does not exist; a mistyped one would be found by nobody.
        """
        target = Path(path)
        if target.is_dir():
            raise IsADirectoryError(f"{target} is a folder; name a file in it, such as {target / 'page.html'}")
        if not target.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {target.parent}; make it first, or name another")
        fresh = target.with_name(f".{target.name}.saving-{uuid4().hex}")
        try:
            fresh.write_text(self.html, encoding="utf-8", newline="\n")
            fresh.replace(target)
        finally:
            fresh.unlink(missing_ok=True)
        return target

    def _repr_html_(self) -> str:
        """A frame of its own, so that neither the notebook's styles reach the page nor the page's the notebook."""
        return str(_FRAME.format(self.title, self.html, self.height))

    def __repr__(self) -> str:
        told = f"{self.told}, " if self.told else ""
        return f"Page({self.title!r}: {told}{len(self.html.encode()) / 1000:.0f} kB; .save(path) writes it, a notebook shows it)"


def render(
    title: str, *, body: Markup, style: str = "", script: str = "", data: object = None, told: str = "", height: int = 680
) -> Page:
    """Put a view into the shell that all pages share: policy, colours for light and dark, type, and the theme button.

    Args:
        title: of the document.
        body: escaped markup, as `fill` gives it.
        style: CSS after that of the shell.
        script: JavaScript after that of the shell; it finds the data by `pageData()`.
        data: JSON values for the script.
        told: what is on the page, in a few words.
        height: of the frame in a notebook, in pixels.

    >>> render("Tides & times", body=Markup("<p>High water</p>"), told="1 paragraph")
    Page('Tides & times': 1 paragraph, ... kB; .save(path) writes it, a notebook shows it)

    Raises:
        ValueError: the style or the script would end its own element.
    """
    styles, scripts = f"{asset('page.css')}\n{style}", f"{asset('page.js')}\n{script}"
    if "</style" in styles.lower() or "</script" in scripts.lower():
        raise ValueError("a style or script of a page may not contain its own closing tag")
    digest = b64encode(sha256(scripts.encode()).digest()).decode()
    # Files of the package alone go in as they are; what comes from a text goes through the template or the data.
    trusted = {"styles": Markup(styles), "scripts": Markup(scripts)}  # noqa: S704
    html = fill("page.html.j2", title=title, body=body, digest=digest, data=data, **trusted)
    return Page(html.encode("utf-8", "replace").decode(), title, told, height)


def fill(template: str, **values: Any) -> Markup:  # noqa: ANN401 - a template takes whatever it prints
    """A template of the package with its values, every one of them escaped.

    Args:
        template: name of the file.
        values: what it prints; one that it names and does not get is an error.
    """
    return Markup(_environment().get_template(template).render(values))  # noqa: S704 - escaped by the template


def asset(*names: str) -> str:
    """The text of styles or scripts of the package, one after the other."""
    folder = files("chronotope.views") / "templates"
    return "\n".join((folder / name).read_text(encoding="utf-8").replace("\r\n", "\n") for name in names)


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "event"), counted(2_000, "event")
    ('1 event', '2,000 events')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


@cache
def _environment() -> Environment:
    loader = PackageLoader("chronotope.views", "templates")
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.policies["json.dumps_kwargs"] = {"ensure_ascii": False}  # a Chinese book would be twice as large with every letter escaped
    return made
