"""One way in for what users give: a file, a folder or the standard input.

`reseat.reading.source` tells what it is, once, and the other modules turn it into frames, matrices,
counts and texts, for the command, the registry of data sets and the estimators.  They refuse, in
one sentence that names the file, whatever cannot be read as it is meant.
"""
