"""Hold the documents to the tables they are made from."""

from __future__ import annotations

import pytest

from tests.structure.documents import DOCUMENTS, ROOT


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_made_document_is_what_its_table_says(name):
    """A setting or a route that changes takes its documents with it: run `make docs`."""
    assert (ROOT / name).read_text(encoding="utf-8") == DOCUMENTS[name]()
