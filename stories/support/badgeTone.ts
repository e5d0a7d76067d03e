/** How a status or a phase looks, in one place for all stories. */
const TONES: Readonly<Record<string, string>> = {
  open: "good",
  serving: "good",
  answered: "good",
  live: "good",
  connecting: "wait",
  reconnecting: "wait",
  joining: "wait",
  leaving: "wait",
  acked: "wait",
  running: "wait",
  refused: "asked",
  asking: "asked",
  cancelled: "off",
  failed: "bad",
  error: "bad",
}

export const badgeTone = (word: string): string => `badge ${TONES[word] ?? ""}`.trim()
