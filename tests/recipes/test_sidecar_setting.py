"""The setting that lets texts beside silent images be read."""

from __future__ import annotations

from py.app import HostInfo, Pantry

from . import encoders as write


class _Nobody:
    def publish(self, event, data):
        """Take events for nobody."""


async def test_texts_beside_images_are_read_only_while_the_setting_is_on(tmp_path):
    """It acts on the next image, without a restart."""
    image = tmp_path / "pond.png"
    image.write_bytes(write.png())
    image.with_suffix(".txt").write_text("a pond\nSteps: 9, Sampler: Euler, CFG scale: 4, Seed: 77", encoding="utf-8")
    pantry = Pantry(HostInfo(data_dir=tmp_path / "data", sink=_Nobody()))
    await pantry.start()
    try:
        assert pantry._read_image(image).draft is None
        pantry.settings.update({"read_sidecar_texts": True})
        assert pantry._read_image(image).draft.seed == 77
    finally:
        await pantry.close()
