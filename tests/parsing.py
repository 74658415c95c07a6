"""A parser as the registry uses it: its options are checked before it reads any file."""

from reseat.datasets.parsers import PARSERS, check_options


def parse(name, paths, **options):
    check_options(name, options, "test")
    return PARSERS[name](paths, **options)
