"""Mentions in the registry: entries, stand-ins, generated sets and the user's own data."""

import numpy as np
import pytest
import yaml
from places import ROOT

from reseat.datasets import (
    DataSettings,
    Registry,
    build,
    check_available,
    embed_mentions,
    missing_report,
)
from reseat.datasets.counting import stop_list_role
from reseat.errors import DataError

REGISTRY = Registry.load(ROOT / "config" / "datasets.yaml")
NOWHERE = DataSettings(mirrors=(), raw="nowhere", download=False)
FAMILY = [name for name in REGISTRY if REGISTRY[name].family == "supervised"]
GENERATED = [name for name in FAMILY if REGISTRY[name].status == "generated"]


def test_entries_of_the_family():
    assert set(FAMILY) == {
        *(
            "usps_digits",
            "usps_pooled",
            "uci_digits",
            "researchers_dblp",
            "aminer_identity",
            "giles_kim",
        ),
        *("citeseer_authors", "ace2004_names", "gum_names", "meantime_names", "litbank_names"),
        *("cora_text", "cora_numbers", "demo_identity", "demo_names", "demo_citations"),
    }
    assert {stop_list_role(REGISTRY[name]) for name in FAMILY} == {None}
    gone = {row.dataset for row in missing_report(REGISTRY, FAMILY, NOWHERE)}
    assert gone == set(FAMILY) - {*GENERATED, "uci_digits"}
    settings = DataSettings(mirrors=(), raw="nowhere", download=False, missing="standin")
    wanted = ["usps_digits", "researchers_dblp", "ace2004_names", "cora_numbers"]
    found = check_available(REGISTRY, wanted, settings)
    assert found.names == ("uci_digits", "demo_identity", "demo_names", "demo_citations")


@pytest.mark.parametrize("name", [*GENERATED, "uci_digits"])
def test_sets_without_files_are_what_they_say(name):
    made, again = (build(REGISTRY, name, NOWHERE, seed=4, kind="mentions") for _ in range(2))
    assert made.identity == again.identity and list(made.identity.sha256) == ["data as read"]
    other = build(REGISTRY, name, NOWHERE, seed=5, kind="mentions")
    # Generated sets have a seed of their own; images are drawn with the seed of the run.
    assert (other.identity == made.identity) == (name in GENERATED)
    words = REGISTRY[name].about.replace(",", "").split()
    sizes = made.summary()
    shown = {"uci_digits": ["test"], "demo_names": ["items", "groups"]}
    for key in shown.get(name, ["items", "entities"]):
        assert str(sizes[key]) in words
    assert not set(made.entities[made.test]) & set(made.entities[~made.test])


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
    (tmp_path / "items.csv").write_text(table.replace("b,train,y", "b,train,x"))
    with pytest.raises(DataError, match="'items': mentions: the training items all belong to one"):
        build(registry, "items", settings, kind="mentions")
    (tmp_path / "items.csv").write_text(table + "a,test,x,2,1\n")
    with pytest.raises(
        DataError, match="data set 'items': .*marks item 'a' as both train and test"
    ):
        build(registry, "items", settings, kind="mentions")
    (tmp_path / "items.csv").write_text(table.replace("b,train,y,1", "b,train,y,2"))
    with pytest.raises(DataError, match="'2' contains both training and test items; assign all"):
        build(registry, "items", settings, kind="mentions")
