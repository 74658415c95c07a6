"""The side bar: all pages, those of the present branch unfolded.

The theme's own resolves and parses the whole tree for each of the hundreds of pages, which took a
third of the build.
"""

from functools import partial
from html import escape

from docutils.nodes import Text
from sphinx.addnodes import toctree

DEPTH = 4
TOGGLE = (
    '<summary><span class="toctree-toggle" role="presentation">'
    '<i class="fa-solid fa-chevron-down"></i></span></summary>'
)


def setup(app):
    """Give the templates the function `branch`."""
    app.connect("html-page-context", give_branch)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def give_branch(app, pagename, templatename, context, doctree):
    context["branch"] = partial(
        branch, app, pagename, path_to(app.env, pagename), app.config.root_doc
    )


def path_to(env, page):
    """The page and all pages above it."""
    found, new = set(), {page}
    while new:
        found |= new
        new = {above for above, below in env.toctree_includes.items() if new & {*below}} - found
    return found


def branch(app, page, path, place, depth=1):
    """Entries of the pages below a place, and of what is below those on the way to a page."""
    entries = []
    for node in app.env.tocs[place].findall(toctree):
        for title, name in node["entries"]:
            name = place if name == "self" else name
            open_ = name != place and name in path
            here = name == page
            below = branch(app, page, path, name, depth + 1) if open_ and depth < DEPTH else ""
            marks = f"toctree-l{depth}"
            marks += " current active" * (open_ or here) + " has-children" * bool(below)
            href = "#" if here else app.builder.get_relative_uri(page, name)
            shown = "".join(words(app, [Text(title)] if title else app.env.titles[name].children))
            link = ['aria-current="page" class="current ', 'class="'][not here]
            entries.append(
                f'<li class="{marks}"><a {link}reference internal" href="{href}">{shown}</a>'
                + (f'<details open="open">{TOGGLE}{below}</details>' if below else "")
                + "</li>\n"
            )
    if not entries:
        return ""
    # A page stands below itself only at the root.
    kinds = ["current"] * (place in path and (place != page or depth == 1))
    kinds += ["nav bd-sidenav"] * (depth == 1)
    kind = f' class="{" ".join(kinds)}"' if kinds else ""
    return f"<ul{kind}>\n{''.join(entries)}</ul>\n"


def words(app, title):
    """Parts of a title as HTML, which need no writer unless they are marked."""
    for part in title:
        if isinstance(part, Text):
            yield escape(part.astext(), quote=False)
        else:
            yield app.builder.render_partial(part)["fragment"]
