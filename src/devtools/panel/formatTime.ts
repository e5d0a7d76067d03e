const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

const rounded = (value: number, digits: number): string => String(Number(value.toFixed(digits)))

/** `340 ms`, `1.24 s`, `2 min 3 s`, `1 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`
  if (ms < MINUTE_MS) return `${rounded(ms / SECOND_MS, ms < 10 * SECOND_MS ? 2 : 1)} s`
  if (ms < HOUR_MS) {
    const seconds = Math.floor((ms % MINUTE_MS) / SECOND_MS)
    return `${Math.floor(ms / MINUTE_MS)} min${seconds > 0 ? ` ${seconds} s` : ""}`
  }
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS)
  return `${Math.floor(ms / HOUR_MS)} h${minutes > 0 ? ` ${minutes} min` : ""}`
}

const two = (value: number): string => String(value).padStart(2, "0")

/** The person's own time of day: `14:03:07`, with milliseconds where they matter. */
export function formatClock(time: number, hasMilliseconds = false): string {
  const date = new Date(time)
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  return hasMilliseconds ? `${clock}.${String(date.getMilliseconds()).padStart(3, "0")}` : clock
}
