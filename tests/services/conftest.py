import pytest

from tests.services.import_house import ImportHouse


@pytest.fixture
async def house(tmp_path):
    """Give a running import service on a real database."""
    one = await ImportHouse(tmp_path).open()
    yield one
    await one.close()
