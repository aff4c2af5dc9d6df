"""Pantry inside ComfyUI's own front end, the oldest supported and the newest."""

from __future__ import annotations

import pytest

from .core_nodes import BUILD, VALUES
from .fake_data import job, waiting_job

pytestmark = pytest.mark.browser
TOGGLE = "Workspace.ToggleSidebarTab.pantry"


@pytest.fixture
def panel(comfy):
    """The sidebar with Pantry open."""
    root = comfy.page.locator(".pantry-root")
    if not root.count():
        comfy.run(TOGGLE)
    root.wait_for()
    yield root
    assert comfy.complaints.heard == []


def open_tab(panel, name):
    panel.get_by_role("button", name=name, exact=True).click()


def test_the_tab_opens_and_fills_the_sidebar(comfy, panel):
    """The sidebar tab shows recipes with their pictures, as high as the sidebar is."""
    panel.locator(".pantry-thumb[src]").first.wait_for()
    assert (
        abs(panel.bounding_box()["height"] - comfy.page.locator(".side-bar-panel").first.bounding_box()["height"]) < 4
    )


def test_an_import_runs_and_its_bar_moves(comfy, panel):
    """Start, events through ComfyUI's socket, the bar and its numbers, then the end."""
    open_tab(panel, "Import")
    panel.get_by_label("Folder", exact=True).fill("/pictures")
    panel.get_by_role("button", name="Start import").click()
    bar = panel.locator(".pantry-job [role=progressbar]")
    bar.wait_for()
    assert comfy.api.started[-1]["directory"] == "/pictures"
    comfy.push("pantry.batch_import", job(progress_percent=60))
    panel.locator(".pantry-job [aria-valuenow='60']").wait_for()
    panel.get_by_text("120 of 200").wait_for()


def test_the_hint_of_a_limit_ticks_and_goes(comfy, panel):
    """While a vendor makes us wait, a calm sentence says who, how many and until when; then it is gone."""
    comfy.push("pantry.batch_import", waiting_job(seconds=75))
    hint = panel.locator(".pantry-limit")
    hint.wait_for()
    first = hint.text_content()
    assert first.startswith("CivitAI asked us to wait; 37 images continue at ")
    comfy.page.wait_for_function("(text) => document.querySelector('.pantry-limit').textContent !== text", arg=first)
    comfy.push("pantry.batch_import", job())
    hint.wait_for(state="detached")


def test_the_job_can_be_paused_and_cancelled(comfy, panel):
    """The verbs reach the server, and what it answers is shown."""
    panel.get_by_role("button", name="Pause").click()
    panel.get_by_text("Paused", exact=True).wait_for()
    panel.get_by_role("button", name="Resume").click()
    panel.get_by_role("button", name="Cancel").click()
    panel.get_by_text("Cancelled", exact=True).wait_for()
    assert [verb for _id, verb in comfy.api.told] == ["pause", "resume", "cancel"]


def test_a_lost_socket_is_made_up_for(comfy, panel):
    """After a reconnection the snapshot is fetched: what was missed meanwhile is on screen."""
    comfy.api.jobs = [job(status="completed", completed=200, success=200, skipped=0, progress_percent=100)]
    comfy.server.call(comfy.host.drop_sockets())
    panel.get_by_text("200 of 200").wait_for()


def test_a_running_job_shows_on_the_icon(comfy, panel):
    """The sidebar's icon carries how far the job is, and nothing once it is over."""
    comfy.push("pantry.batch_import", job(progress_percent=61))
    comfy.page.get_by_text("61%", exact=True).first.wait_for()
    comfy.push("pantry.batch_import", job(status="completed", completed=200, progress_percent=100))
    comfy.page.get_by_text("61%", exact=True).wait_for(state="detached")


def test_typing_in_the_panel_is_not_a_hot_key(comfy, panel):
    """ComfyUI's single-letter keys do nothing while the focus is inside Pantry."""
    panel.locator("[role=option], .pantry-tab").first.focus()
    comfy.page.keyboard.press("n")
    comfy.page.keyboard.press("m")
    assert panel.is_visible()


def setting(comfy, name):
    return comfy.page.evaluate("(id) => window.app.extensionManager.setting.get(id)", f"Pantry.{name}")


def set_setting(comfy, name, value):
    script = "([id, value]) => window.app.extensionManager.setting.set(id, value)"
    comfy.page.evaluate(script, [f"Pantry.{name}", value])


def test_the_settings_panel_shows_the_servers_values(comfy, panel):
    """ComfyUI's settings are a remote control: what settings.json says is what they show, and nothing was written."""
    comfy.page.wait_for_function(
        "() => window.app.extensionManager.setting.get('Pantry.rate_limit_max_wait_seconds') === 300"
    )
    assert setting(comfy, "rate_limit_gate_enabled") is True
    assert setting(comfy, "rate_limit_min_interval_seconds") == 0.75
    assert comfy.api.patched == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rate_limit_gate_enabled", False),
        ("rate_limit_max_wait_seconds", 60),
        ("rate_limit_min_interval_seconds", 1.5),
    ],
)
def test_a_toggle_reaches_the_server(comfy, panel, name, value):
    """A change in the panel is a change of settings.json, sent once."""
    comfy.api.patched.clear()
    with comfy.page.expect_response(lambda answer: answer.request.method == "PATCH"):
        set_setting(comfy, name, value)
    assert comfy.api.patched == [{name: value}]


def test_the_key_is_no_setting_of_comfyui(comfy, panel):
    """The API key's field is ours: ComfyUI's settings never hold a key."""
    comfy.run("Comfy.ShowSettingsDialog")
    comfy.page.get_by_text("Pantry", exact=True).last.click()
    field = comfy.page.get_by_placeholder("Paste a key to set it")
    field.fill("secret-key-9876")
    with comfy.page.expect_response(lambda answer: answer.request.method == "PATCH"):
        field.press("Enter")
    assert comfy.api.patched[-1] == {"civitai_api_key": "secret-key-9876"}
    assert "secret" not in str(comfy.host.settings)
    comfy.page.keyboard.press("Escape")
    field.wait_for(state="hidden")


def test_the_wide_view_opens_over_the_app(comfy, panel):
    """The command shows the same face in a large dialog, and Escape closes it."""
    comfy.run("Pantry.Open")
    dialog = comfy.page.locator("dialog.pantry-dialog")
    dialog.locator(".pantry-tab").first.wait_for()
    assert dialog.bounding_box()["width"] > 900
    comfy.page.keyboard.press("Escape")
    dialog.wait_for(state="detached")


def open_recipe(comfy, panel, number):
    open_tab(panel, "Recipes")
    panel.locator(f".pantry-recipe[data-index='{number}']").click()
    panel.locator(".pantry-prompt").first.wait_for()


def test_a_recipe_is_sent_to_the_workflow(comfy, panel):
    """Prompts, settings, models and LoRAs reach the nodes that take them, in ComfyUI's own names."""
    comfy.page.evaluate(BUILD)
    open_recipe(comfy, panel, 1)
    panel.get_by_text("Send to the workflow").click()
    panel.get_by_role("button", name="Everything").click()
    panel.get_by_text("fields of the workflow were set").wait_for()
    nodes = comfy.page.evaluate(VALUES)
    texts = [values["text"] for name, values in nodes if name == "CLIPTextEncode"]
    by_name = dict(nodes)
    assert texts == [
        "a calm mountain lake at dawn, mist over the water, soft light, highly detailed",
        "blurry, text, watermark",
    ]
    sampler = by_name["KSampler"]
    assert (sampler["seed"], sampler["steps"], sampler["sampler_name"], sampler["scheduler"]) == (
        1234568,
        28,
        "dpmpp_2m",
        "karras",
    )
    assert by_name["CheckpointLoaderSimple"]["ckpt_name"] == "sdxl/juggernautXL_v9.safetensors"
    assert by_name["LoraLoader"]["lora_name"] == "styles/misty_mornings.safetensors"
    assert by_name["PantryRecipeLoader"]["recipe"] == "1"


def test_a_node_takes_its_recipe_from_the_grid(comfy, panel):
    """The button on Pantry's own nodes opens the recipes; a click on one puts it into the node."""
    comfy.page.evaluate(BUILD)
    press = """() => window.app.graph.nodes.find((node) => node.comfyClass === "PantryRecipeLoader")
      .widgets.find((widget) => widget.type === "button").callback()"""
    comfy.page.evaluate(press)
    dialog = comfy.page.locator("dialog.pantry-dialog")
    dialog.locator(".pantry-recipe[data-index='3']").click()
    dialog.wait_for(state="detached")
    assert dict(comfy.page.evaluate(VALUES))["PantryRecipeLoader"]["recipe"] == "3"


def test_a_workflow_is_loaded_onto_the_canvas(comfy, panel):
    """A recipe with a workflow puts it onto the canvas."""
    open_recipe(comfy, panel, 2)
    panel.get_by_role("button", name="Load workflow").click()
    comfy.page.wait_for_function(
        "() => window.app.graph.nodes.length === 1 && window.app.graph.nodes[0].comfyClass === 'KSampler'"
    )
