"""Compare recipes with what the pictures were made from."""

from __future__ import annotations

PLAIN = ("prompt", "negative_prompt", "steps", "cfg_scale", "seed", "sampler", "scheduler", "width", "height")


def expected_uses(truth):
    return [truth["checkpoint"], *truth["loras"]]


def assert_true(recipe, truth, known=None):
    """Check one recipe; `known` names the models that a vendor can tell (None: all that have a hash)."""
    for name in PLAIN:
        assert recipe[name] == truth[name], name
    uses = [recipe["checkpoint"], *recipe["loras"]]
    assert len(uses) == len(expected_uses(truth))
    for use, told in zip(uses, expected_uses(truth), strict=True):
        assert (use["name"], use["hash"]) == (told["name"], told["hash"])
        assert_known(use, told, known)
    for use, told in zip(recipe["loras"], truth["loras"], strict=True):
        assert use["strength_model"] == told["strength_model"]


def assert_known(use, told, known):
    if not told["hash"]:
        assert use["state"] == "unlisted"
    elif known is None or told["vendor_name"] in known:
        assert (use["state"], use["vendor_name"]) == ("found", told["vendor_name"])
    else:
        assert use["state"] == "absent"
