"""CivitAI rates images by number or by word."""

from __future__ import annotations

import pytest

from py.recipes.nsfw import level_of_image


@pytest.mark.parametrize(
    ("image", "level"),
    [
        ({"browsingLevel": 2, "nsfwLevel": "X"}, 2),
        ({"nsfwLevel": "Soft"}, 2),
        ({"nsfwLevel": "None"}, 1),
        ({"nsfwLevel": 16}, 16),
        ({"nsfwLevel": 12}, 8),
        ({"browsingLevel": 32}, 16),
        ({"browsingLevel": 0, "nsfwLevel": "Mature"}, 4),
        ({"browsingLevel": True, "nsfwLevel": "odd"}, None),
        ({"nsfwLevel": ["X"]}, None),
        ({}, None),
    ],
)
def test_an_image_has_one_level(image, level):
    """The number says more than the word, the highest of several counts, and what makes no sense is unknown."""
    assert level_of_image(image) == level
