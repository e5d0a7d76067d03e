// A page that a server rendered comes alive: what is hydrated is what the server had, and then what is known.
import { type ReactNode, Suspense } from "react"
import { hydrateRoot, type Root } from "react-dom/client"
import { renderToString } from "react-dom/server"
import { type Session, SessionProvider, useSession, useSessionState } from "react-tool-client"
import { createTestSession, type TestSession } from "react-tool-client/testing"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { Offer, Status, Web } from "./support/components.tsx"
import "./support/console.ts"
import { deferred } from "./support/deferred.ts"
import { sent } from "./support/requests.ts"
import { Waits } from "./support/Waits.tsx"

let session: TestSession
let root: Root | undefined
const container = document.body.appendChild(document.createElement("div"))
const onRecoverableError = vi.fn()
beforeEach(() => {
  session = createTestSession()
  onRecoverableError.mockClear()
})
afterEach(() => root?.unmount())

function hydrate(onServer: ReactNode, inPage: ReactNode): void {
  container.innerHTML = renderToString(onServer)
  root = hydrateRoot(container, inPage, { onRecoverableError })
}

it("hydrates without a difference, then registers once", async () => {
  const page = (
    <SessionProvider client={session.client}>
      <Page />
    </SessionProvider>
  )
  hydrate(page, page)
  expect(container.textContent).toBe("connecting joining")
  await session.settle()
  expect(container.textContent).toBe("open serving")
  expect(sent(session)).toBe("P")
  expect(onRecoverableError).not.toHaveBeenCalled()
})

it("hydrates a boundary without a difference although the client serves by then", async () => {
  const later = deferred()
  const page = (until?: Promise<void>) => (
    <SessionProvider client={session.client}>
      <Around>
        <Suspense>
          <Waits until={until}>
            <Status />
          </Waits>
        </Suspense>
      </Around>
    </SessionProvider>
  )
  hydrate(page(), page(later.promise))
  await session.settle()
  expect(sent(session)).toBe("P")
  expect(container.textContent).toBe("joining")
  later.resolve()
  await vi.waitFor(() => expect(container.textContent).toBe("serving"))
  expect(onRecoverableError).not.toHaveBeenCalled()
})

function Page() {
  const known = useSession("test")
  return (
    <>
      <SessionStatus session={known} />
      <Web session={known}>
        <Offer name="a" />
        <Status />
      </Web>
    </>
  )
}

function Around({ children }: { readonly children: ReactNode }) {
  return (
    <Web session={useSession("test")}>
      <Offer name="a" />
      {children}
    </Web>
  )
}

function SessionStatus({ session: known }: { readonly session: Session | null }) {
  return <b>{useSessionState(known, ({ status }) => status)} </b>
}
