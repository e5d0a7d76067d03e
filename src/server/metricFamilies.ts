/** Counters, gauges and histograms in the text exposition format of Prometheus, version 0.0.4. */

interface Family {
  text(): string
}

export interface Counter extends Family {
  /** @param values - Of the labels, in their order. */
  add(values: readonly string[]): void
}

export interface Gauge extends Family {
  add(change: number): void
  set(value: number): void
}

export interface Histogram extends Family {
  observe(values: readonly string[], value: number): void
}

const escapeValue = (value: string): string => value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")

const labelsText = (names: readonly string[], values: readonly string[]): string =>
  names.length === 0 ? "" : `{${names.map((name, index) => `${name}="${escapeValue(values[index] ?? "")}"`).join(",")}}`

const head = (name: string, help: string, type: string): string => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`

/** One value for each combination of labels; without labels it is there, as 0, from the beginning. */
function createSeries<Value>(isAlone: boolean, create: () => Value) {
  const series = new Map<string, { readonly values: readonly string[]; value: Value }>()
  if (isAlone) series.set("[]", { values: [], value: create() })
  return {
    all: () => series.values(),
    at(values: readonly string[]) {
      const key = JSON.stringify(values)
      const known = series.get(key)
      if (known) return known
      const entry = { values: [...values], value: create() }
      series.set(key, entry)
      return entry
    },
  }
}

export function createCounter(name: string, help: string, labels: readonly string[]): Counter {
  const series = createSeries(labels.length === 0, () => 0)
  return {
    add(values) {
      series.at(values).value++
    },
    text: () => head(name, help, "counter") + [...series.all()].map(({ values, value }) => `${name}${labelsText(labels, values)} ${value}\n`).join(""),
  }
}

export function createGauge(name: string, help: string): Gauge {
  let value = 0
  return {
    add(change) {
      value += change
    },
    set(next) {
      value = next
    },
    text: () => `${head(name, help, "gauge")}${name} ${value}\n`,
  }
}

/** @param bounds - Upper ends of the buckets, growing; one without an end comes by itself. */
export function createHistogram(name: string, help: string, labels: readonly string[], bounds: readonly number[]): Histogram {
  const series = createSeries(labels.length === 0, () => ({ counts: bounds.map(() => 0), count: 0, sum: 0 }))

  function linesOf(values: readonly string[], { counts, count, sum }: { counts: readonly number[]; count: number; sum: number }): string {
    const bucket = (bound: string, total: number): string => `${name}_bucket${labelsText(["le", ...labels], [bound, ...values])} ${total}\n`
    const ends = bounds.map((bound, index) => bucket(String(bound), counts[index] ?? 0)).join("")
    return `${ends}${bucket("+Inf", count)}${name}_sum${labelsText(labels, values)} ${sum}\n${name}_count${labelsText(labels, values)} ${count}\n`
  }

  return {
    observe(values, value) {
      const entry = series.at(values).value
      entry.count++
      entry.sum += value
      // Each bucket counts those below it too.
      for (const [index, bound] of bounds.entries()) if (value <= bound) entry.counts[index] = (entry.counts[index] ?? 0) + 1
    },
    text: () => head(name, help, "histogram") + [...series.all()].map(({ values, value }) => linesOf(values, value)).join(""),
  }
}
