"""Small tables of mentions for tests."""


def write(folder, **texts):
    """Write CSV files by name; in a text, blanks separate the cells and ~ stands for a blank."""
    for name, text in texts.items():
        lines = [",".join(line.split()).replace("~", " ") for line in text.strip().splitlines()]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder
