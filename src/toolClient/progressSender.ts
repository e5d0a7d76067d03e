import type { Clock, TimerHandle } from "../lib/clock.ts"
import type { CallProgress } from "../tool/toolCall.ts"
import { PROGRESS_MESSAGE_MAX_LENGTH } from "../wire/limits.ts"

/** Between two reports of one call, from when the first was taken. Milliseconds. */
export const PROGRESS_INTERVAL_MS = 250

export interface ProgressSender {
  report(progress: CallProgress): void
  /** Sends nothing more. */
  end(): void
}

/** As JSON can say it; what is no number is no report. */
function sendable({ done, total, message }: CallProgress): CallProgress | undefined {
  if (!Number.isFinite(done)) return undefined
  return {
    done,
    ...(Number.isFinite(total) && { total: total as number }),
    ...(message !== undefined && { message: String(message).slice(0, PROGRESS_MESSAGE_MAX_LENGTH) }),
  }
}

/**
 * Says how far one call is: the first report at once, then the newest one now and then.
 *
 * @param send - Never rejects.
 */
export function createProgressSender(clock: Clock, send: (progress: CallProgress) => Promise<void>): ProgressSender {
  let next: CallProgress | undefined
  let isBusy = false
  let isOver = false
  let timer: TimerHandle

  async function sendNext(): Promise<void> {
    const progress = next
    next = undefined
    isBusy = progress !== undefined && !isOver
    if (!progress || isOver) return
    await send(progress)
    if (!isOver) timer = clock.setTimeout(() => void sendNext(), PROGRESS_INTERVAL_MS)
  }

  return {
    report(progress) {
      next = sendable(progress) ?? next
      if (!isBusy) void sendNext()
    },
    end() {
      isOver = true
      clock.clearTimeout(timer)
    },
  }
}
