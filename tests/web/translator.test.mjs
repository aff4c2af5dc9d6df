import assert from "node:assert/strict"
import { readFileSync, readdirSync } from "node:fs"
import { test } from "node:test"
import { sentences as english } from "../../web/strings/en.mjs"
import { sentences as chinese } from "../../web/strings/zh.mjs"
import { SETTINGS } from "../../web/util/settings_table.mjs"
import { Translator, chooseLanguage } from "../../web/util/translator.mjs"

const LOCALES = { en: english, zh: chinese }

function places(sentence) {
  const forms = typeof sentence === "object" ? Object.values(sentence) : [sentence]
  return [...new Set(forms.flatMap((form) => form.match(/\{\w+\}/g) ?? []))].sort()
}

function locale(language, file) {
  return JSON.parse(readFileSync(new URL(`../../locales/${language}/${file}.json`, import.meta.url)))
}

test("places are filled in, and the plural follows the count", () => {
  const { say } = new Translator("en", english)
  assert.equal(say("recipes.count", { count: 1, shown: "1" }), "1 recipe")
  assert.equal(say("recipes.count", { count: 2, shown: "2" }), "2 recipes")
})

test("a value is text: a place inside it is not filled in again", () => {
  const { say } = new Translator("en", { key: "{one} {two}" })
  assert.equal(say("key", { one: "{two}", two: "x" }), "{two} x")
})

test("a name that the server has added is spelled out", () => {
  const { say } = new Translator("en", english)
  assert.equal(say.named("role", "controlnet"), "ControlNet")
  assert.equal(say.named("role", "ip_adapter"), "ip adapter")
})

test("a sentence that a language lacks is said in English", () => {
  assert.equal(new Translator("zh", {}, english).say("close"), "Close")
})

test("every sentence exists in every language, with the same places", () => {
  assert.deepEqual(Object.keys(chinese).sort(), Object.keys(english).sort())
  for (const key of Object.keys(english)) assert.deepEqual(places(chinese[key]), places(english[key]), key)
})

test("the language is the first wanted one that we speak, else English", () => {
  assert.equal(chooseLanguage(["fr-FR", "zh-TW", "en"], ["en", "zh"]), "zh")
  assert.equal(chooseLanguage(["fr"], ["en", "zh"]), "en")
})

test("ComfyUI's locale files say what the panel says", () => {
  for (const [language, sentences] of Object.entries(LOCALES)) {
    const file = locale(language, "settings")
    for (const { name } of SETTINGS.filter((setting) => setting.kind !== "folders")) {
      const words = { name: sentences[`setting.${name}.label`], tooltip: sentences[`setting.${name}.help`] }
      assert.deepEqual(file[`Pantry_${name}`], words, `${language} ${name}`)
    }
  }
})

test("a category of ours is never one of ComfyUI's own, which it would rename", () => {
  const theirs = ["General", "Comfy", "Appearance", "Other", "Import", "Network", "Library"]
  for (const name of Object.keys(locale("en", "main").settingsCategories)) assert.ok(!theirs.includes(name), name)
})

test("every sentence that is asked for by name exists", () => {
  const web = new URL("../../web/", import.meta.url)
  const files = readdirSync(web, { recursive: true }).filter((name) => /\.m?js$/.test(name))
  const asked = files.flatMap((name) => [...readFileSync(new URL(name, web), "utf8").matchAll(/\bt\("([\w.]+)"/g)])
  assert.ok(asked.length > 100)
  for (const [, key] of asked) assert.ok(key in english, key)
})
