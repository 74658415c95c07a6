"""`reseat cluster`: fit a model to your own data, and write tables, a picture and a page."""

import argparse
import logging
import math
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

from reseat.chains import Interrupted
from reseat.command import writing_to
from reseat.command.console import INTERRUPTED, LOST, SENTENCE, Console, stopping
from reseat.command.folder import Earlier, output_folder
from reseat.command.inputs import READERS, open_input
from reseat.command.inputs.loaded import LoadedInput
from reseat.command.options import LONGER, OPTIONS, WISHART, in_options
from reseat.command.results import keep_names, report_of, results_of
from reseat.command.writing import write_files
from reseat.errors import ColumnWarning, ConfigError, DataError, ReseatWarning, unforeseen
from reseat.estimators import (
    Microclustering,
    MultinomialMixture,
    RelationalModel,
    StudentMixture,
    SupervisedClustering,
    WishartDirichlet,
)
from reseat.estimators.base import PosteriorClustering
from reseat.estimators.relational import UNUSED
from reseat.estimators.sampling import ChainEnded, Sample, following, write_chains
from reseat.files.locking import try_lock
from reseat.reading.source import Source
from reseat.summaries import AGREED
from reseat.threads import Stopped

ESTIMATORS = {
    "documents": MultinomialMixture,
    "records": Microclustering,
    "points": StudentMixture,
    "distances": StudentMixture,
    "relational": RelationalModel,
    "supervised": SupervisedClustering,
}
#: Largest numbers of items that each burn-in, sweeps after it and thinning below are used for.
SIZES = (1000, 10_000, 100_000, math.inf)


def _by_size(*lengths: tuple[int, int, int]) -> tuple:
    return tuple(zip(SIZES, lengths, strict=True))


LENGTHS = _by_size((500, 1000, 5), (300, 600, 3), (100, 200, 2), (25, 50, 5))
#: The same for points, and for distances under the default likelihood.
POINT_LENGTHS = _by_size((300, 300, 6), (150, 150, 3), (40, 50, 2), (25, 50, 2))
#: Factor on `LENGTHS` for records: a sweep of the chaperones is short and moves few records.
RECORD_FACTOR = 3
#: The same for records of similar values, of which a sweep moves most.  Up to ten thousand records,
#: chains from distant starts meet within fifteen sweeps; for more, they are kept short to save time
#: and may not suffice, which R-hat then shows.  In shorter chains of few, it is exceeded by chance.
SIMILAR_LENGTHS = _by_size((100, 400, 2), (15, 60, 1), (5, 25, 1), (5, 10, 1))
#: Smallest number of draws, over all chains, for which a 95 % interval is meaningful.
MIN_DRAWS = 100


def run(arguments: argparse.Namespace) -> int:
    """Cluster the data; errors in the options or the input are raised before any work."""
    _check_input_apart(arguments)
    console = Console(arguments.quiet)
    # Relations are clustered by variational inference unless another method is chosen.
    chains = arguments.model != "relational" or arguments.inference == "gibbs"
    sentence = SENTENCE if chains else LOST
    with stopping(sentence=sentence) as stop, warnings.catch_warnings():
        # Other libraries warn programmers of things that a user cannot change.
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        # The readers of files have already said these, with the names of the columns.
        warnings.simplefilter("ignore", ColumnWarning)
        warnings.showwarning = partial(_show_warning, console)
        try:
            return _run(arguments, console, stop)
        except (Interrupted, Stopped, KeyboardInterrupt):
            console.close()
            console.warn(sentence)
            return INTERRUPTED


@contextmanager
def _notes_of_readers(console) -> Iterator[None]:
    """Print what readers of data sets log as notes."""
    handler, log = logging.Handler(logging.WARNING), logging.getLogger("reseat")
    handler.emit = lambda record: console.warn(record.getMessage())
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)


def _show_warning(console, message, category, *_, **__) -> None:
    """Show warnings of this library and plain ones; others are for programmers."""
    if isinstance(message, ReseatWarning):
        console.warn(message.said(in_options))
    elif category is UserWarning:
        console.warn(str(message))


def _run(arguments: argparse.Namespace, console, stop) -> int:
    _make_estimator(arguments, None).check_settings()
    folder = arguments.into or arguments.ids_from
    arguments.earlier = None if folder is None else Earlier(folder)
    if arguments.into is not None:
        kept = {name: arguments.earlier.settings[name] for name in ("likelihood", "seed")}
        vars(arguments).update(kept, columns=arguments.earlier.columns)
    unreadable = unforeseen(f"{Source.of(arguments.input)} cannot be read")
    with ExitStack() as held:
        with unreadable, _notes_of_readers(console):
            source = open_input(
                arguments.input, arguments.model, arguments.format, arguments.encoding
            )
            material = READERS[arguments.model](source, arguments)
        pair = arguments.explain
        if pair is not None and len(set(pair)) != 2:
            raise ConfigError(f"--explain is {','.join(pair)}; name two records, as --explain A,B.")
        for name in pair or ():
            if name not in material.items:
                raise ConfigError(f"--explain names {name!r}, but there is no such record.")
        if arguments.into is None:
            estimator = _make_estimator(arguments, material)
        else:
            with unforeseen(f"{arguments.into} cannot be read"):
                estimator = arguments.earlier.extended(material.fit["X"])
        with writing_to(arguments.output):
            arguments.output.mkdir(parents=True, exist_ok=True)
            shared = arguments.only_chain is not None
            if not held.enter_context(try_lock(arguments.output, shared)):
                raise ConfigError(
                    f"another command is already running in {arguments.output}; wait for it to "
                    "finish, or choose another OUT."
                )
            output = held.enter_context(output_folder(arguments, estimator, material))
        _fit(arguments, console, stop, material, estimator, output)
    return 0


def _fit(arguments, console, stop, material, estimator, output) -> None:
    console.say(f"{Source.of(arguments.input)}: {material.what}")
    for sentence in (*material.warnings, *_remarks(arguments, estimator)):
        console.warn(sentence)
    data, only = output.settings["data"], arguments.only_chain
    with writing_to(output.folder), following(console.progress, stop, console.say, data, only):
        if arguments.into:
            sample = Sample(estimator.draws_, estimator.traces_, estimator.seconds_)
            write_chains(output.chains, sample)  # so that it can be extended again
        else:
            try:
                _run_chains(arguments, material, estimator, output, console)
            except ChainEnded:
                names = [f"chain-{number}.nc" for number in range(arguments.chains)]
                there = sum((output.chains / name).is_file() for name in names)
                console.close()
                console.say(
                    f"Chain {only} is in {output.chains}, where {there} of {len(names)} are now; "
                    "without --only-chain, the same command makes the result of all."
                )
                return
        results = results_of(estimator, material, arguments.model)
        kept = keep_names(arguments.earlier, results[0], estimator, material)
        report, model = report_of(results, estimator, material), type(estimator).__name__
        with output.replacing(kept) as folder:
            name = output.folder.resolve().name
            write_files(folder, report, material, model, name, console.notes)
    console.report(report, output.folder)
    if arguments.explain:
        console.print_odds(arguments.explain, material, estimator)


def _run_chains(arguments, material, estimator, output, console) -> None:
    if getattr(estimator, "inference", "gibbs") != "variational":
        estimator.set_params(folder=output.chains)
    try:
        if not _agrees_soon(arguments, material, estimator):
            console.say("The chains do not agree yet, and are continued.")
            estimator.set_params(n_samples=LONGER * estimator.n_samples)
            output.lengthen(estimator.n_samples)
            estimator.fit(**material.fit)
    except DataError as error:
        if error.parameter == "folder":  # about the files of the chains, not the input
            error.fields["alternative"] = "use --overwrite"
        else:
            error.source = Source.of(arguments.input)
        raise


def _agrees_soon(arguments, material, estimator) -> bool:
    """Fit, and return whether the result stands; otherwise what the fit said is left out."""
    most, (_, n_samples, _) = SIMILAR_LENGTHS[0]
    stands = (
        arguments.model != "records"
        or arguments.samples is not None
        or arguments.only_chain is not None
        or len(material.items) > most
        or estimator.n_samples != n_samples
    )
    if stands:
        estimator.fit(**material.fit)
        return True
    with warnings.catch_warnings(record=True) as said:
        estimator.fit(**material.fit)
    if max(estimator.rhat_["n_clusters"], estimator.rhat_["log_joint"]) > AGREED:
        return False
    for each in said:
        warnings.showwarning(each.message, each.category, each.filename, each.lineno)
    return True


def _check_input_apart(arguments: argparse.Namespace) -> None:
    if not str(arguments.output).strip():
        raise ConfigError("-o is empty; name a folder for the results.")
    try:
        given = arguments.input.resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise DataError(f"{str(arguments.input)[:80]} cannot be read ({error}).") from error
    try:
        out = arguments.output.resolve()
        if out.is_symlink():  # a circle, which `resolve` lets pass since Python 3.13
            out.stat()
        out.exists()
    except (OSError, ValueError, RuntimeError) as error:
        raise DataError(
            f"{str(arguments.output)[:80]} cannot be used as the name of a folder "
            f"({getattr(error, 'strerror', None) or error}); choose another one for -o."
        ) from error
    is_file = str(arguments.input) != "-"
    if is_file and (given == out or out in given.parents):
        raise ConfigError(f"{arguments.input} is inside {arguments.output}; choose another OUT.")
    if is_file and given in out.parents and given.is_dir():
        raise ConfigError(
            f"{arguments.output} is inside {arguments.input}, so that its files would be read as "
            "input the next time; choose another OUT."
        )
    if out.exists() and not out.is_dir():
        raise DataError(f"{arguments.output} is a file; OUT must be a folder.")


def _make_estimator(
    arguments: argparse.Namespace, material: LoadedInput | None
) -> PosteriorClustering:
    """Return the requested estimator; without data, its default chain lengths are arbitrary."""
    kind, fixed = ESTIMATORS[arguments.model], {}
    if arguments.model == "distances":
        fixed["metric"] = "precomputed"
        kind = WishartDirichlet if arguments.likelihood == WISHART else kind
    known, settings = kind().get_params(), dict(material.settings) if material else {}
    given = {option.parameter: getattr(arguments, option.attribute) for option in OPTIONS}
    given = {name: value for name, value in given.items() if name in known and value is not None}
    if given.get("max_distortion", 0) > 0:  # otherwise the estimator refuses it
        given["distortion"] = min(known["distortion"], given["max_distortion"])
    n_items = 1 if material is None else len(material.items)
    likelihood = settings.get("likelihood", arguments.likelihood)
    burn_in, samples, thin = default_length(arguments.model, n_items, likelihood)
    thin = max(1, min(thin, given.get("n_samples", samples)))
    lengths = {"n_burn_in": burn_in, "n_samples": samples, "thin": thin}
    return kind(**(lengths | given | settings | fixed))


def default_length(model: str, n_items: int, likelihood: str | None = None) -> tuple[int, int, int]:
    """Return the default burn-in, sweeps after it and thinning for a number of items."""
    similar = likelihood == "similar"
    of_points = model == "points" or (model == "distances" and likelihood != WISHART)
    lengths = SIMILAR_LENGTHS if similar else POINT_LENGTHS if of_points else LENGTHS
    length = next(length for most, length in lengths if n_items <= most)
    factor = RECORD_FACTOR if model == "records" and not similar else 1
    return tuple(factor * number for number in length)


def _remarks(arguments: argparse.Namespace, estimator: PosteriorClustering) -> list[str]:
    """Return remarks to show before sampling, such as options without effect or few draws."""
    if arguments.into is not None:
        return []
    said, inference = [], getattr(estimator, "inference", "")
    given = [option for option in OPTIONS if option.attribute in arguments.given]
    idle = [option.flag for option in given if option.parameter in UNUSED.get(inference, ())]
    if idle:
        verb = "has" if len(idle) == 1 else "have"
        said.append(f"{' and '.join(idle)} {verb} no effect under --inference {inference}.")
    n_chains = 1 if inference == "variational" else estimator.n_chains
    if n_chains == 1 and inference != "variational":
        said.append(
            "with a single chain, convergence cannot be checked; use --chains 4 for results that "
            "matter."
        )
    n_draws = n_chains * (estimator.n_samples // estimator.thin)
    if n_draws < MIN_DRAWS:
        draws = "a single draw" if n_draws == 1 else f"only {n_draws} draws"
        said.append(
            f"probabilities and intervals from {draws} are unreliable; raise --samples, or lower "
            f"--thin, until {MIN_DRAWS} or more are kept."
        )
    return said
