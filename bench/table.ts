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

export const milliseconds = (value: number): string => `${value.toFixed(2)} ms`

export function printTable(rows: readonly Row[]): void {
  const columns = ["what", "ours", "beside", "ratio", "goal"] as const
  const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => row[column].length)))
  const line = (cells: readonly string[]): string => cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ")
  console.log(line(columns))
  console.log(line(widths.map((width) => "-".repeat(width))))
  for (const row of rows) console.log(line(columns.map((column) => row[column])))
}
