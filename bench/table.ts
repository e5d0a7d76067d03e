/** One row of the printed table. */
export interface Row {
  readonly what: string
  readonly ours: string
  readonly beside: string
  readonly ratio: string
  readonly goal: string
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Something that was measured in turns with a baseline. */
export interface Comparison {
  /** The lower quartile of the samples, in milliseconds: what else a machine does only ever adds, and a garbage collection now and then belongs to it. */
  readonly time: number
  /** To the baseline's. */
  readonly ratio: number
}

const lowerQuartile = (values: readonly number[]): number => [...values].sort((one, other) => one - other)[Math.floor(values.length / 4)] ?? Number.NaN

export function compare(samples: readonly number[], baseline: readonly number[]): Comparison {
  const time = lowerQuartile(samples)
  return { time, ratio: time / lowerQuartile(baseline) }
}

export const milliseconds = (value: number): string => `${value.toFixed(2)} ms`

export function printTable(rows: readonly Row[]): void {
  const columns = ["what", "ours", "beside", "ratio", "goal"] as const
  const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => row[column].length)))
  const line = (cells: readonly string[]): string => cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ")
  console.log(line(columns))
  console.log(line(widths.map((width) => "-".repeat(width))))
  for (const row of rows) console.log(line(columns.map((column) => row[column])))
}

export const microseconds = (ms: number): string => (1_000 * ms).toFixed(ms < 0.01 ? 1 : 0)

export const times = (ratio: number): string => `${ratio.toFixed(ratio < 10 ? 1 : 0)}x`
