"""Mentions in the registry: entries, stand-ins, generated sets and the user's own data."""

import numpy as np
import yaml
from places import ROOT

from reseat.datasets import (
    DataSettings,
    Registry,
    build,
    embed_mentions,
)

REGISTRY = Registry.load(ROOT / "config" / "datasets.yaml")


def test_the_hand_laid_table_of_ace_is_read(tmp_path, caplog):
    path = tmp_path / "ace.csv"
    path.write_text(
        "doc_id,mention_id,name,head,entity_id,partition\n"
        "d1,1,George W. Bush,Bush,e1,train\nd1,2,Bush,Bush,e1,train\nd2,1,Rome,Rome,e1,train\n"
        "d3,1,IBM,IBM,e7,test\nd3,2,International Business Machines,Machines,e7,test\n"
    )
    settings = DataSettings(paths={"ace2004_names": path}, raw=tmp_path / "raw")
    made = build(REGISTRY, "ace2004_names", settings, kind="mentions")
    assert made.group_names == ("d1", "d2", "d3") and made.groups.tolist() == [0, 0, 1, 2, 2]
    assert made.entities.tolist() == [0, 0, 1, 2, 2]  # an id is valid within its document only
    assert made.test.tolist() == [False, False, False, True, True] and not caplog.records
    assert embed_mentions(made).n_features == 5


def entry(parser, **options):
    return {
        "title": "Mine", "about": "mine", "family": "supervised", "licence": "mine",
        "citation": "none", "status": "faithful", "parser": parser, "user_path": "a folder",
        "options": options,
    }  # fmt: skip


def test_items_of_the_users_own_enter_by_the_registry(tmp_path, caplog):
    config = tmp_path / "datasets.yaml"
    mine = {"items": entry("labelled_items", group="doc"), "far": entry("item_pairs")}
    config.write_text(yaml.safe_dump({"datasets": mine}))
    settings = DataSettings(paths=dict.fromkeys(mine, tmp_path), raw=tmp_path / "raw")
    registry = Registry.load(config)
    table = "id,split,entity,doc,size\na,train,x,1,1\nb,train,y,1,4\nc,test,z,2,2\nd,test,x,2,3\n"
    (tmp_path / "items.csv").write_text(table)
    made = build(registry, "items", settings, kind="mentions")
    assert made.group_names == ("1", "2") and made.role == "items"
    assert "1 entities are in two documents" in caplog.text and "'x'" in caplog.text
    assert made.entities.tolist() == [0, 1, 2, 3]
    found = embed_mentions(made)
    np.testing.assert_allclose(
        found.coordinates[:, 0], (np.array([1, 4, 2, 3]) - 2.5) / 1.5, atol=2e-6
    )
    names = "abcd"
    lines = [f"{p},{q},{abs(i - j)}" for i, p in enumerate(names) for j, q in enumerate(names[:i])]
    (tmp_path / "pairs.csv").write_text("\n".join(["id1,id2,gap", *lines]) + "\n")
    points = embed_mentions(build(registry, "far", settings, kind="mentions")).coordinates
    np.testing.assert_allclose(np.abs(np.diff(points[:, 0])), 2, rtol=1e-6)
