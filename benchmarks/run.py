"""Compare the speed of reseat with that of its peers, and print one table of ratios.

    python benchmarks/run.py                  everything, on 20 Newsgroups
    python benchmarks/run.py --quick          generated documents, half a minute
    python benchmarks/run.py --only em        one part, see below

Times are CPU seconds of one thread: the median of the repeats in this run, with
the smallest and the largest.  Only the ratios carry over to another machine; on
a shared one, factors below two mean little.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy is imported

import argparse  # noqa: E402
from pathlib import Path  # noqa: E402

import case_chaperones  # noqa: E402
import case_distances  # noqa: E402
import case_em  # noqa: E402
import case_engine  # noqa: E402
import case_gibbs  # noqa: E402
import case_memory  # noqa: E402
import case_metrics  # noqa: E402
import case_moves  # noqa: E402
import case_records  # noqa: E402
import case_relational  # noqa: E402
import case_supervised  # noqa: E402
import corpora  # noqa: E402
from timing import machine, say, table  # noqa: E402

DOCUMENT_CASES = ("gibbs", "em", "engine", "memory")
OTHER_CASES = ("metrics", "chaperones", "records", "distances", "relational", "supervised", "moves")
CASES = (*DOCUMENT_CASES, *OTHER_CASES)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small generated documents")
    parser.add_argument("--only", action="append", choices=CASES, help="may be repeated")
    parser.add_argument(
        "--mirror",
        type=Path,
        default=corpora.ROOT.parent / "shared" / "data",
        help="folder with copies of the raw data (default: ../shared/data beside the project)",
    )
    parser.add_argument("--no-peers", action="store_true", help="do not install or run tweetopic")
    parser.add_argument("--clusters", type=int, default=20, metavar="K")
    options = parser.parse_args(arguments)
    chosen = options.only or CASES

    corpus = None
    if set(chosen) & set(DOCUMENT_CASES):
        say("reading the documents")
        if options.quick:
            corpus = corpora.generate(2_000, 8_000, options.clusters, 60)
        else:
            corpus = corpora.newsgroups(options.mirror)
    rows = []
    for name in CASES:
        if name in chosen:
            say(f"measuring: {name}")
            rows += _run(name, corpus, options)
    print(machine())
    print("CPU time of one thread: median (smallest..largest) of this run")
    if corpus is not None:
        print(corpus.description)
    print()
    print(table(rows))


def _run(name: str, corpus, options) -> list:
    K = options.clusters
    if name == "gibbs":
        return case_gibbs.run(corpus, K, options.quick, not options.no_peers)
    if name == "em":
        return case_em.run(corpus, K, options.quick)
    if name == "metrics":
        return case_metrics.run(options.quick)
    if name == "engine":
        return case_engine.run(corpus, K, options.quick)
    if name == "chaperones":
        return case_chaperones.run(options.quick)
    if name == "records":
        return case_records.run(options.quick)
    if name == "relational":
        return case_relational.run(options.mirror, options.quick)
    if name == "supervised":
        return case_supervised.run(options.quick)
    if name == "distances":
        return case_distances.run(options.quick)
    if name == "moves":
        return case_moves.run(options.quick)
    return case_memory.run(corpus, K)


if __name__ == "__main__":
    main()
