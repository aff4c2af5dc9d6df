// Lists the settings as the panels show them. A test holds this against the table in py/core/settings_table.py.

const VENDORS = "vendors"
const PACE = "pace"
const IMPORTS = "imports"
const LIBRARY = "library"

export const SECTIONS = [PACE, VENDORS, IMPORTS, LIBRARY]

export const SETTINGS = [
  { name: "civitai_api_key", kind: "secret", section: VENDORS, value: "" },
  { name: "civitai_api_base", kind: "url", section: VENDORS, value: "https://civitai.red/api/v1" },
  { name: "civarchive_enabled", kind: "bool", section: VENDORS, value: true },
  { name: "civarchive_api_base", kind: "url", section: VENDORS, value: "https://civarchive.com/api" },
  { name: "archive_db_path", kind: "path", section: VENDORS, value: "" },
  { name: "model_folders", kind: "folders", section: LIBRARY, value: {} },
  { name: "rate_limit_gate_enabled", kind: "bool", section: PACE, value: true },
  { name: "rate_limit_max_wait_seconds", kind: "float", section: PACE, value: 300, min: 0, max: 86400 },
  {
    name: "rate_limit_interactive_max_wait_seconds",
    kind: "optional_float",
    section: PACE,
    value: null,
    min: 0,
    max: 86400,
  },
  { name: "rate_limit_min_interval_seconds", kind: "float", section: PACE, value: 0.75, min: 0, max: 3600 },
  { name: "rate_limit_adaptive_enabled", kind: "bool", section: PACE, value: true },
  { name: "rate_limit_cautious_enabled", kind: "bool", section: PACE, value: false },
  { name: "rate_limit_backoff_base_seconds", kind: "float", section: PACE, value: 30, min: 1, max: 86400 },
  { name: "rate_limit_backoff_max_seconds", kind: "float", section: PACE, value: 1800, min: 1, max: 86400 },
  { name: "rate_limit_header_ceiling_seconds", kind: "float", section: PACE, value: 86400, min: 1 },
  { name: "rate_limit_shared_hosts", kind: "names", section: PACE, value: [] },
  { name: "import_folders", kind: "paths", section: IMPORTS, value: [] },
  { name: "watch_folders", kind: "paths", section: IMPORTS, value: [] },
  { name: "write_sidecars", kind: "bool", section: LIBRARY, value: true },
  { name: "batch_import_concurrency", kind: "int", section: IMPORTS, value: 3, min: 1, max: 5 },
  { name: "batch_import_auto_resume", kind: "bool", section: IMPORTS, value: true },
  { name: "skip_duplicates", kind: "bool", section: IMPORTS, value: true },
  { name: "skip_no_metadata", kind: "bool", section: IMPORTS, value: true },
  { name: "read_sidecar_texts", kind: "bool", section: IMPORTS, value: false },
  { name: "allowed_hosts", kind: "names", section: VENDORS, value: [] },
  { name: "allow_remote_changes", kind: "bool", section: LIBRARY, value: false },
]

const LISTS = new Set(["paths", "names"])
const FOLDER = /^\s*(\w+)\s*:\s*(\S.*?)\s*$/

/** Whether a setting is a list, which a page shows one entry a line. */
export function isList({ kind }) {
  return LISTS.has(kind) || kind === "folders"
}

/** Turn a value of settings.json into what a field shows, lists with `between` between; numbers and switches stay. */
export function toField(setting, value, between = "; ") {
  if (LISTS.has(setting.kind)) return (value ?? []).join(between)
  if (setting.kind === "folders") return folderLines(value ?? {}).join("\n")
  if (setting.kind === "optional_float") return value === null || value === undefined ? "" : String(value)
  return value
}

/** Turn what a field holds into a value for settings.json; throw where it is not one. */
export function fromField(setting, field) {
  if (LISTS.has(setting.kind)) return entries(field, /[;\n]/)
  if (setting.kind === "folders") return foldersOf(entries(field, /\n/))
  if (setting.kind === "optional_float") return String(field ?? "").trim() === "" ? null : Number(field)
  return setting.kind === "float" || setting.kind === "int" ? Number(field) : field
}

function entries(field, between) {
  return String(field ?? "")
    .split(between)
    .map((one) => one.trim())
    .filter(Boolean)
}

function folderLines(folders) {
  return Object.entries(folders).flatMap(([type, paths]) => [paths].flat().map((path) => `${type}: ${path}`))
}

function foldersOf(lines) {
  const folders = {}
  for (const line of lines) {
    const [, type, path] = FOLDER.exec(line) ?? []
    if (!path) throw Object.assign(new Error(`Not a type and a folder: ${line}`), { key: "settings.folder_line" })
    folders[type] = [...(folders[type] ?? []), path]
  }
  return folders
}
