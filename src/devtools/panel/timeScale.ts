import { formatClock, formatDuration } from "./formatTime.ts"

/** Places in time as parts of the width, 0 to 1. Long stretches in which nothing happens are drawn short. */
export interface TimeScale {
  at(time: number): number
  readonly ticks: readonly { readonly at: number; readonly label: string; readonly isStart: boolean }[]
  /** Where time was left out, and how much of it. */
  readonly breaks: readonly { readonly at: number; readonly width: number; readonly ms: number }[]
}

interface Stretch {
  readonly start: number
  readonly end: number
  /** Milliseconds that it is drawn as. */
  readonly drawn: number
  readonly isBreak: boolean
}

/** A gap is left out when it is longer than this part of all that is busy. */
const LONGEST_GAP = 0.3

/** What a gap that is left out still takes, as a part of all that is busy. */
const BREAK_WIDTH = 0.06

/** What a label takes, in pixels. */
const LABEL_PX = 62

/** 1, 2 or 5 of a power of ten, not less than `ms`. */
function niceStep(ms: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(ms, 1)))
  return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= ms) ?? power
}

function merge(intervals: readonly (readonly [start: number, end: number])[]): { start: number; end: number }[] {
  const merged: { start: number; end: number }[] = []
  for (const [start, end] of [...intervals].sort(([one], [other]) => one - other)) {
    const last = merged.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else merged.push({ start, end })
  }
  return merged
}

/** Leaves the labels that have room: the times of day first, then what has passed since them. */
function labelled(places: TimeScale["ticks"], labelWidth: number): TimeScale["ticks"] {
  const taken: number[] = []
  const hasRoom = (at: number): boolean => at + labelWidth <= 1.02 && taken.every((other) => Math.abs(other - at) >= labelWidth)
  const kept = new Set<TimeScale["ticks"][number]>()
  for (const isStart of [true, false]) {
    for (const place of places) {
      if (place.isStart !== isStart || !hasRoom(place.at)) continue
      taken.push(place.at)
      kept.add(place)
    }
  }
  return places.map((place) => (kept.has(place) ? place : { ...place, label: "" }))
}

/**
 * Pure: a scale over the intervals that are to be seen.
 *
 * @param width - Of what it is drawn on, in pixels: as many ticks as have room for their labels.
 */
export function createTimeScale(intervals: readonly (readonly [start: number, end: number])[], width: number): TimeScale {
  const merged = merge(intervals)
  const busy = Math.max(1, merged.reduce((sum, { start, end }) => sum + end - start, 0))
  const stretches: Stretch[] = []
  for (const { start, end } of merged) {
    const before = stretches.at(-1)
    if (before) {
      const gap = start - before.end
      const isBreak = gap > busy * LONGEST_GAP
      stretches.push({ start: before.end, end: start, drawn: isBreak ? busy * BREAK_WIDTH : gap, isBreak })
    }
    // A moment is seen too.
    stretches.push({ start, end, drawn: Math.max(end - start, busy * 0.02), isBreak: false })
  }
  const total = Math.max(1, stretches.reduce((sum, { drawn }) => sum + drawn, 0))

  const places: { at: number; label: string; isStart: boolean }[] = []
  const breaks: { at: number; width: number; ms: number }[] = []
  const starts: number[] = []
  const labelWidth = Math.min(1, LABEL_PX / Math.max(1, width))
  const step = niceStep(total * labelWidth * 1.3)
  let offset = 0
  let origin: number | undefined
  for (const { start, end, drawn, isBreak } of stretches) {
    starts.push(offset)
    if (isBreak) {
      breaks.push({ at: offset / total, width: drawn / total, ms: end - start })
      origin = undefined
    } else {
      const isStart = origin === undefined
      origin ??= start
      for (let time = isStart ? start : origin + Math.ceil((start - origin) / step) * step; time < end || (isStart && time === start); time += step) {
        const at = (offset + Math.min(time - start, drawn)) / total
        places.push({ at, label: time === origin ? formatClock(time) : `+${formatDuration(time - origin)}`, isStart: time === origin })
      }
    }
    offset += drawn
  }

  return {
    ticks: labelled(places, labelWidth),
    breaks,
    at(time) {
      let index = stretches.findLastIndex((stretch) => stretch.start <= time)
      if (index < 0) index = 0
      const stretch = stretches[index]
      if (!stretch) return 0
      const part = stretch.end > stretch.start ? Math.min(1, Math.max(0, (time - stretch.start) / (stretch.end - stretch.start))) : 0
      return ((starts[index] ?? 0) + part * stretch.drawn) / total
    },
  }
}
