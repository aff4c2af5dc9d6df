// Says numbers, times and lengths of time in the reader's language. Knows no DOM and no clock.

const UNITS = ["B", "KB", "MB", "GB", "TB"]

export class Formatter {
  constructor(locale = "en", timeZone = undefined) {
    this.locale = locale
    this.timeZone = timeZone
    this.numbers = new Intl.NumberFormat(locale)
    this.short = new Intl.NumberFormat(locale, { maximumSignificantDigits: 3 })
    this.clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone })
    this.day = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone })
  }

  number(value) {
    return this.numbers.format(value)
  }

  decimal(value) {
    return this.short.format(value)
  }

  percent(value) {
    return new Intl.NumberFormat(this.locale, { style: "percent", maximumFractionDigits: 0 }).format(value / 100)
  }

  /** Say a moment (seconds since the epoch) as a time of day, with the date where it is not today. */
  moment(seconds, nowSeconds) {
    const far = Math.abs(seconds - nowSeconds) > 20 * 3600
    return (far ? this.day : this.clock).format(new Date(seconds * 1000))
  }

  date(seconds) {
    return this.day.format(new Date(seconds * 1000))
  }

  /** Say a length of time as m:ss or h:mm:ss; a started second counts. */
  duration(seconds) {
    const whole = Math.max(0, Math.ceil(seconds))
    const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
    const shown = parts[0] ? parts : parts.slice(1)
    return shown.map((part, index) => (index ? String(part).padStart(2, "0") : String(part))).join(":")
  }

  bytes(value) {
    const step = value > 0 ? Math.min(UNITS.length - 1, Math.floor(Math.log2(value) / 10)) : 0
    return `${this.decimal(value / 1024 ** step)} ${UNITS[step]}`
  }

  list(words) {
    return new Intl.ListFormat(this.locale, { type: "conjunction" }).format(words)
  }
}
