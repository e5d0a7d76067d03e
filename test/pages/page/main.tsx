// The page that the tests open: tools as a user of the package offers them, and what a test needs to look behind them.
import { startTransition, StrictMode, useState } from "react"
import { createRoot } from "react-dom/client"
import {
  createSessionClient,
  SessionProvider,
  type Session,
  useSession,
  useSessionState,
  useTool,
  useToolClient,
  useToolClientState,
} from "react-tool-client"
import { createDeferred } from "../../../src/lib/deferred.ts"
import { createHurriedClock } from "../support/hurriedClock.ts"

declare global {
  var testPage: {
    /** What `onError` has heard. */
    readonly problems: string[]
    /** Why calls of the tool `wait` were aborted. */
    readonly aborted: string[]
    /** Events of the page's life, in order. */
    readonly lifecycle: string[]
    /** Tells the tool `wait` what to answer. */
    answer(text: string): void
    /** Mounts everything anew, as a list does whose keys change. */
    setKey(key: number): void
  }
}

const params = new URLSearchParams(location.search)
const sessionId = params.get("session") ?? ""
const label = params.get("label") ?? ""
const ttl = params.get("ttl")
const isSlow = params.has("slow")
const chance = params.get("chance")

if (params.has("chained")) chainTimers()

const client = createSessionClient({
  baseUrl: params.get("server") ?? "",
  getToken: (id) => fetch(`/token?session=${id}`).then((response) => response.text()),
  clock: createHurriedClock(Number(params.get("speed") ?? 1), chance === null ? undefined : Number(chance)),
})

const problems: string[] = []
const aborted: string[] = []
const lifecycle: string[] = []
let answerOfWait = createDeferred<string>()

/** Takes its time, a part of a render that React may do bit by bit. */
function SlowPart(): null {
  for (const end = performance.now() + 10; performance.now() < end; );
  return null
}

function Tools({ session }: { readonly session: Session }) {
  const tools = useToolClient(session, "web", ttl === null ? {} : { lifetime: { type: "ttl", data: { seconds: Number(ttl) } } })
  const { status, name } = useToolClientState(tools)
  const [notes, setNotes] = useState<readonly string[]>([])

  useTool(tools, "add_note", {
    description: "Adds a note.",
    parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    execute: ({ text }: { text: string }) => {
      startTransition(() => setNotes((before) => [...before, text]))
      return `Added to ${notes.length}.`
    },
  })
  useTool(tools, "notes", { description: "All notes.", parameters: { type: "object" }, execute: () => notes.join(", ") })
  useTool(tools, "who", { description: "Which page this is.", parameters: { type: "object" }, execute: () => label })
  useTool(tools, "wait", {
    description: "Waits for a person.",
    parameters: { type: "object" },
    execute: (_args, { signal }) => {
      signal.addEventListener("abort", () => aborted.push(String(signal.reason)))
      return answerOfWait.promise
    },
  })

  return (
    <>
      <output id="client">{name === undefined ? status : `${status} as ${name}`}</output>
      <ul id="notes">
        {notes.map((note) => (
          <li key={note}>
            {note}
            {isSlow && Array.from({ length: 8 }, (_, part) => <SlowPart key={part} />)}
          </li>
        ))}
      </ul>
    </>
  )
}

function Page() {
  const session = useSession(sessionId)
  const { status } = useSessionState(session)
  return (
    <>
      <output id="session">{status}</output>
      {session && <Tools session={session} />}
    </>
  )
}

function App() {
  const [key, setKey] = useState(0)
  testPage.setKey = setKey
  return <Page key={key} />
}

globalThis.testPage = {
  problems,
  aborted,
  lifecycle,
  answer(text) {
    answerOfWait.resolve(text)
    answerOfWait = createDeferred()
  },
  setKey() {},
}

for (const [target, type] of [
  [window, "pageshow"],
  [window, "pagehide"],
  [document, "freeze"],
  [document, "resume"],
  [document, "visibilitychange"],
] as const) {
  target.addEventListener(type, (event) => {
    lifecycle.push(type === "visibilitychange" ? document.visibilityState : "persisted" in event && event.persisted ? `${type} persisted` : type)
  })
}

/** A timer that a network event arms begins a new chain, and is spared; one that an interval looks after is not. */
function chainTimers(): void {
  const waiting = new Map<number, { readonly at: number; readonly callback: () => void }>()
  let last = 0
  setInterval(() => {
    for (const [id, { at, callback }] of waiting) {
      if (at <= Date.now() && waiting.delete(id)) callback()
    }
  }, 50)
  const arm = (callback: () => void, ms = 0): number => {
    waiting.set(++last, { at: Date.now() + ms, callback })
    return last
  }
  Object.assign(globalThis, { setTimeout: arm, clearTimeout: (id: number) => void waiting.delete(id) })
}

const root = document.createElement("main")
document.body.append(root)
createRoot(root).render(
  <StrictMode>
    <SessionProvider client={client} onError={(error) => problems.push(String(error))}>
      <App />
    </SessionProvider>
  </StrictMode>,
)
