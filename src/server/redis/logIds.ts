/**
 * Ids of events. In Redis' stream they are `<version>-<number>`; streams of the server say before it which life of the session they are of.
 */

/** A session's life, and the id in its log. 16 digits of microseconds last until the year 2286. */
const EVENT_ID = /^(\d{1,16})-(\d{1,16}-\d{1,9})$/

export const eventIdOf = (life: string, logId: string): string => `${life}-${logId}`

/** undefined for what is none: an id of another server's, or of nobody's. */
export function readEventId(eventId: string): { readonly life: string; readonly logId: string } | undefined {
  const [, life, logId] = EVENT_ID.exec(eventId) ?? []
  return life === undefined || logId === undefined ? undefined : { life, logId }
}

const partsOf = (id: string): [version: number, index: number] => {
  const [version = "", index = ""] = id.split("-")
  return [Number(version), Number(index)]
}

/** Whether one id of a log comes before another. */
export function isBefore(a: string, b: string): boolean {
  const [aVersion, aIndex] = partsOf(a)
  const [bVersion, bIndex] = partsOf(b)
  return aVersion < bVersion || (aVersion === bVersion && aIndex < bIndex)
}
