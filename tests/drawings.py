"""Figures as bytes or empty files, the titles of their panels and the names in their legends."""


def write_nothing(figure, stem):
    """Write an empty SVG instead of a figure, which must have been drawn."""
    assert figure.axes
    stem.with_name(f"{stem.name}.svg").touch()


def titles_of(fig):
    """Return the titles of the panels that have one."""
    return [ax.get_title(loc="left") for ax in fig.axes if ax.get_title(loc="left")]


def names_in_legend(fig):
    """Return the names in the legend below the panels, in order."""
    return [text.get_text() for text in fig.legends[0].get_texts()]
