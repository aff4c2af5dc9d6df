// Finds sentences by key and fills in their {places}. Plural sentences are objects keyed by Intl's plural categories.

export class Translator {
  constructor(locale, sentences, fallback = sentences) {
    this.locale = locale
    this.sentences = sentences
    this.fallback = fallback
    this.plurals = new Intl.PluralRules(locale)
    this.say = Object.assign(this.say.bind(this), { named: (group, name) => this.named(group, name) })
  }

  /** Return the sentence of `key`; a key without a sentence is shown as itself, which a test forbids. */
  say(key, values = {}) {
    const sentence = this.sentences[key] ?? this.fallback[key] ?? key
    return fillPlaces(typeof sentence === "object" ? this.#choose(sentence, values.count) : sentence, values)
  }

  /** Return the words for one name of a group that the server may have added to; a new name is shown spelled out. */
  named(group, name) {
    const key = `${group}.${name}`
    return key in this.fallback ? this.say(key) : name.replaceAll("_", " ")
  }

  #choose(forms, count) {
    return forms[this.plurals.select(count ?? 0)] ?? forms.other
  }
}

function fillPlaces(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place))
}

/** Return the language of ours that fits best one of the wanted ones, in their order; English where none does. */
export function chooseLanguage(wanted, available) {
  const known = wanted.map((tag) => tag.toLowerCase().split("-")[0]).find((tag) => available.includes(tag))
  return known ?? "en"
}
