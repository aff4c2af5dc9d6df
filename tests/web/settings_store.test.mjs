import assert from "node:assert/strict"
import { test } from "node:test"
import { SettingsStore } from "../../web/state/settings_store.mjs"
import { SETTINGS, fromField, toField } from "../../web/util/settings_table.mjs"

function storeOf(values) {
  const patched = []
  const api = {
    settings: async () => values,
    changeSettings: async (changes) => {
      patched.push(changes)
      return { ...values, ...changes }
    },
  }
  return { patched, store: new SettingsStore(api) }
}

test("before the truth is known, no field can overwrite it", async () => {
  const { patched, store } = storeOf({ rate_limit_gate_enabled: false })
  await store.setField("rate_limit_gate_enabled", true)
  assert.deepEqual(patched, [])
})

test("an echo of what the server has is no change", async () => {
  const { patched, store } = storeOf({ rate_limit_max_wait_seconds: 300.0, import_folders: ["/a", "/b"] })
  await store.load()
  await store.setField("rate_limit_max_wait_seconds", 300)
  await store.setField("import_folders", "/a; /b")
  assert.deepEqual(patched, [])
})

test("a change goes to the server in the table's own kind", async () => {
  const { patched, store } = storeOf({ rate_limit_interactive_max_wait_seconds: 20, import_folders: [] })
  await store.load()
  await store.setField("rate_limit_interactive_max_wait_seconds", "")
  await store.setField("import_folders", "C:\\pictures; /home/me/out ")
  const paths = ["C:\\pictures", "/home/me/out"]
  assert.deepEqual(patched, [{ rate_limit_interactive_max_wait_seconds: null }, { import_folders: paths }])
})

test("a refused change shows the server's value again", async () => {
  const api = {
    settings: async () => ({ write_sidecars: true }),
    changeSettings: async () => Promise.reject(new Error("no")),
  }
  const store = new SettingsStore(api)
  await store.load()
  let told = 0
  store.addEventListener("change", () => (told += 1))
  await assert.rejects(store.setField("write_sidecars", false))
  assert.equal(told, 1)
  assert.equal(store.field("write_sidecars"), true)
})

test("what a field shows comes back as what it was", () => {
  for (const setting of SETTINGS.filter((one) => one.kind !== "secret")) {
    assert.deepEqual(fromField(setting, toField(setting, setting.value)), setting.value, setting.name)
  }
})

test("folders of models are lines of a type and a path, several of one type too", () => {
  const setting = SETTINGS.find(({ kind }) => kind === "folders")
  const value = { loras: ["C:\\models\\loras", "/more"], checkpoints: ["/ckpt"] }
  const shown = "loras: C:\\models\\loras\nloras: /more\ncheckpoints: /ckpt"
  assert.equal(toField(setting, value), shown)
  assert.deepEqual(fromField(setting, `${shown}\n\n`), value)
  assert.throws(() => fromField(setting, "/no/type"), { key: "settings.folder_line" })
})

test("a page shows lists one entry a line", async () => {
  const store = new SettingsStore({ settings: async () => ({ import_folders: ["/a", "/b"] }) }, { between: "\n" })
  await store.load()
  assert.equal(store.field("import_folders"), "/a\n/b")
})
