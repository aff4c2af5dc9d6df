// The settings' names and help in English. A test holds the help against the table in py/core/settings_table.py.

const WORDS = {
  civitai_api_key: [
    "CivitAI API key",
    "Your CivitAI API key. Kept in settings.json only; never shown again, never sent to another host.",
  ],
  civitai_api_base: ["CivitAI address", "Where CivitAI's API is."],
  civarchive_enabled: ["Ask CivArchive too", "Ask CivArchive for models that CivitAI has confirmed it does not have."],
  civarchive_api_base: ["CivArchive address", "Where CivArchive's API is."],
  archive_db_path: [
    "Local archive",
    "A local CivitAI metadata archive (civitai.sqlite), opened read-only. Empty: none.",
  ],
  model_folders: [
    "Model folders",
    "Model folders by type, for use without ComfyUI; inside ComfyUI its own folders are used.",
  ],
  rate_limit_gate_enabled: [
    "Wait at the gate",
    "Wait at a shared gate after a vendor's refusal. Off: a refusal is reported at once.",
  ],
  rate_limit_max_wait_seconds: [
    "Longest wait (seconds)",
    "How long one look-up may wait at the gate, in seconds, before it is put off until later.",
  ],
  rate_limit_interactive_max_wait_seconds: [
    "Longest wait after a click (seconds)",
    "The same for something you clicked, in seconds. Empty: as rate_limit_max_wait_seconds.",
  ],
  rate_limit_min_interval_seconds: [
    "Pause between requests (seconds)",
    "Seconds between two requests to one vendor: the fastest that Pantry ever goes.",
  ],
  rate_limit_adaptive_enabled: [
    "Learn the pace",
    "Learn the pace that a vendor allows from its refusals. Off: always the fixed interval.",
  ],
  rate_limit_cautious_enabled: ["Extra careful", "Send batch requests one at a time, a random 10 to 20 seconds apart."],
  rate_limit_backoff_base_seconds: [
    "First wait after a refusal (seconds)",
    "The first wait, in seconds, after a refusal that does not say how long; doubled each time.",
  ],
  rate_limit_backoff_max_seconds: ["Longest such wait (seconds)", "The longest such wait, in seconds."],
  rate_limit_header_ceiling_seconds: [
    "Absurd wait (seconds)",
    "A Retry-After at or above this many seconds is taken for a mistake and ignored.",
  ],
  rate_limit_shared_hosts: [
    "Hosts that share a pace",
    "Host names that are one vendor and share one window and one pace, for instance of its mirrors.",
  ],
  import_folders: ["Folders to import from", "Folders that may be imported from, besides ComfyUI's input and output."],
  watch_folders: ["Folders to watch", "Folders whose new images become recipes by themselves."],
  write_sidecars: ["Write sidecar files", "Write model metadata beside the model file."],
  batch_import_concurrency: ["Look-ups at once", "How many look-ups of an import may be under way at once."],
  batch_import_auto_resume: [
    "Finish by itself",
    "Finish images that had to wait for a vendor by itself when the wait is over.",
  ],
  skip_duplicates: ["Leave out duplicates", "Leave out images that already have a recipe."],
  skip_no_metadata: ["Leave out silent images", "Leave out images that say nothing about how they were made."],
  read_sidecar_texts: [
    "Read texts beside images",
    "Read a .txt or .json of the same name beside an image that itself says nothing.",
  ],
  allowed_hosts: [
    "Further host names",
    "Further host names that this server answers to, for instance that of a proxy before it.",
  ],
  allow_remote_changes: [
    "Let other machines change things",
    "Let browsers on other machines do what is otherwise kept for this one: delete, and set paths and keys.",
  ],
}

const SECTIONS = {
  "section.pace": "Pace and waiting",
  "section.vendors": "Vendors",
  "section.imports": "Importing pictures",
  "section.library": "Model library",
}

/** Spread words by setting into the keys that the translator knows. */
export function settingSentences(words, sections) {
  const pairs = Object.entries(words).flatMap(([name, [label, help]]) => [
    [`setting.${name}.label`, label],
    [`setting.${name}.help`, help],
  ])
  return { ...sections, ...Object.fromEntries(pairs) }
}

export const settings = settingSentences(WORDS, SECTIONS)
