import { type JSX, useEffect, useState } from "react"
import type { TestSession } from "react-tool-client/testing"

const TYPES = ["register", "update", "ping", "ack", "answer", "delete"] as const

/** Milliseconds between two looks at what was sent. */
const LOOK_INTERVAL_MS = 50

const count = (session: TestSession): readonly number[] => TYPES.map((type) => session.requests(type).length)

/** How many requests the page has sent, by type. */
export function RequestCounter({ session }: { readonly session: TestSession }): JSX.Element {
  const [counts, setCounts] = useState(() => count(session))
  useEffect(() => {
    const timer = setInterval(() => {
      const next = count(session)
      setCounts((before) => (next.every((one, index) => one === before[index]) ? before : next))
    }, LOOK_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [session])
  return (
    <section aria-label="Requests">
      <h2>Requests sent</h2>
      <dl>
        {TYPES.map((type, index) => (
          <div key={type} style={{ display: "contents" }}>
            <dt>{type}</dt>
            <dd>
              <output aria-label={`${type} requests`}>{counts[index]}</output>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
