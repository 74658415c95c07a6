"""Plans of the records family, and variants of its demo that tests run."""

import yaml
from places import ROOT

from reseat.papers.records.plan import Plan

SECTION = yaml.safe_load((ROOT / "config" / "records.yaml").read_text(encoding="utf-8"))["records"]


def plan(scale="paper", replaced=None, section=SECTION):
    sources = Plan.wanted(section, scale)
    replaced = replaced or {}
    kept = [name for name in sources if name not in replaced]
    return Plan(scale, 1, section, (*kept, *sum(replaced.values(), ())), replaced)


def changed(**keys):
    scale = SECTION["scales"]["demo"] | keys
    return SECTION | {"scales": SECTION["scales"] | {"demo": scale}}


def study(**keys):
    first = {"n_chains": 1, "burn_in": 0, "n_samples": 4}
    return {"datasets": ["demo_italy_d05"], "models": ["nbd"], "first": first} | keys
