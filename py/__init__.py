"""Hold Pantry itself: rooms of pure logic, the doors in services, and the wiring in app.

Read `docs/map.md` for what lives where. Import this package only relatively, or in tests as ``py``.
"""


class path:  # noqa: N801 - the name is pytest's
    """Stand in for the `py` library's path module.

    pytest imports a top-level module called ``py`` and asks it for ``path.local``. Inside the test run this
    folder answers to that name, so it has to answer the question too (pytest-dev/pytest#11176).
    """

    local = ()
