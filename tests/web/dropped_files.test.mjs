import assert from "node:assert/strict"
import { test } from "node:test"
import { ACCEPT, droppedFiles, isWanted, wantedFiles } from "../../web/util/dropped_files.mjs"

const file = (name) => ({ name, isDirectory: false, file: (take) => take({ name }) })

/** A folder whose reader hands out `at` entries at a time, as browsers do. */
function folder(name, inside, at = 2) {
  const createReader = () => {
    const left = [...inside]
    return { readEntries: (take) => take(left.splice(0, at)) }
  }
  return { name, isDirectory: true, createReader }
}

const drop = (...entries) => ({ items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })), files: [] })
const names = (files) => files.map((one) => one.name)

test("pictures, videos, zips and recipes are wanted, whatever their case; nothing else is", () => {
  for (const name of ["a.png", "A.JPG", "b.webm", "c.zip", "d.recipe.json"]) assert.ok(isWanted(name), name)
  for (const name of ["a.txt", "workflow.json", ".hidden.png", "png", "a.safetensors"]) assert.ok(!isWanted(name), name)
})

test("a dropped folder is walked to its ends, and hidden folders are left alone", async () => {
  const inner = folder("inner", [file("e.zip"), file("d.png"), file("readme.md")])
  const top = folder("top", [file("c.webp"), inner, file("b.txt"), file("a.png"), folder(".git", [file("x.png")])])
  assert.deepEqual(names(await droppedFiles(drop(top, file("z.gif")))), ["a.png", "c.webp", "d.png", "e.zip", "z.gif"])
})

test("a browser without entries gives plain files", async () => {
  const files = [{ name: "a.png" }, { name: "b.txt" }]
  assert.deepEqual(names(await droppedFiles({ items: [{}], files })), ["a.png"])
  assert.deepEqual(names(wantedFiles(files)), ["a.png"])
})

test("a folder that cannot be read is an error, not an empty list", async () => {
  const broken = {
    name: "b",
    isDirectory: true,
    createReader: () => ({ readEntries: (_, fail) => fail(new Error("no")) }),
  }
  await assert.rejects(droppedFiles(drop(broken)), /no/)
})

test("the field for files offers what is wanted", () => {
  for (const ending of [".png", ".webm", ".zip", ".json"]) assert.ok(ACCEPT.split(",").includes(ending))
})
