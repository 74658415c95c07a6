"""Files: written atomically, packed, locked, and of text."""
