"""Small tables of mentions for tests."""


def write(folder, **texts):
    """Files by name; each text is a table with its cells set apart by blanks, ~ being one."""
    for name, text in texts.items():
        lines = [",".join(line.split()).replace("~", " ") for line in text.strip().splitlines()]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder
