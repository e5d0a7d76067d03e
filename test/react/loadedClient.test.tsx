// A provider whose session client is loaded after the page's first load.
import { Activity, memo } from "react"
import { renderToString } from "react-dom/server"
import { type SessionClient, SessionProvider, type ToolClient, useSession, useTool } from "react-tool-client"
import { createTestSession, type TestSession } from "react-tool-client/testing"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { Offer, Status, Web } from "./support/components.tsx"
import { mount, MODES } from "./support/mount.tsx"
import { publishedNames, sent } from "./support/requests.ts"

let session: TestSession
beforeEach(() => {
  session = createTestSession()
})
afterEach(() => {
  vi.useRealTimers()
})

function Page() {
  return (
    <Web session={useSession("s")}>
      <Offer name="a" />
      <Status />
    </Web>
  )
}

/** A load that ends when the test says so. */
function loading() {
  type Loaded = SessionClient | { readonly default: SessionClient }
  const waiting: { resolve(loaded: Loaded): void; reject(error: unknown): void }[] = []
  const load = vi.fn(() => new Promise<Loaded>((resolve, reject) => waiting.push({ resolve, reject })))
  return {
    load,
    arrive: (loaded: Loaded = session.client) => waiting.splice(0).forEach(({ resolve }) => resolve(loaded)),
    fail: (error: unknown) => waiting.splice(0).forEach(({ reject }) => reject(error)),
  }
}

describe.each(MODES)("a client that is loaded$mode", ({ strict }) => {
  it("serves the tools that waited for it, registered once", async () => {
    const { load, arrive } = loading()
    const page = await mount(<SessionProvider client={load}><Page /></SessionProvider>, { strict })
    expect(page.container.textContent).toBe("joining")
    arrive()
    await vi.waitFor(async () => {
      await session.settle()
      expect(page.container.textContent).toBe("serving")
    })
    expect(publishedNames(session)).toEqual(["a"])
    expect(sent(session)).toBe("P")
  })

  it("renders no component that only has a tool when it is there", async () => {
    const { load, arrive } = loading()
    const rendered = vi.fn()
    const local = createTestSession()
    const Tool = memo(function Tool({ client }: { client: ToolClient }) {
      rendered()
      useTool(client, "a", { description: "A tool.", parameters: {}, execute: () => "done" })
      return null
    })
    const client = local.createToolClient("web")
    const page = await mount(<SessionProvider client={load}><Page /><Tool client={client} /></SessionProvider>, { strict })
    const { length } = rendered.mock.calls
    arrive()
    await vi.waitFor(async () => {
      await session.settle()
      expect(page.container.textContent).toBe("serving")
    })
    expect(rendered).toHaveBeenCalledTimes(length)
  })

  it.skipIf(!Activity)("is loaded once, also where Activity hides its provider and shows it again", async () => {
    const { load, arrive } = loading()
    const tree = (mode: "hidden" | "visible") => <Activity mode={mode}><SessionProvider client={load}><Page /></SessionProvider></Activity>
    const page = await mount(tree("visible"), { strict })
    arrive()
    await vi.waitFor(async () => {
      await session.settle()
      expect(page.container.textContent).toBe("serving")
    })
    const { length } = load.mock.calls
    await page.render(tree("hidden"))
    await page.render(tree("visible"))
    await session.settle()
    expect(load).toHaveBeenCalledTimes(length)
  })

  it("is the default export of a module, too", async () => {
    const { load, arrive } = loading()
    const page = await mount(<SessionProvider client={load}><Page /></SessionProvider>, { strict })
    arrive({ default: session.client })
    await vi.waitFor(async () => {
      await session.settle()
      expect(page.container.textContent).toBe("serving")
    })
    expect(sent(session)).toBe("P")
  })

  it.each([{}, { default: undefined }, { default: {} }, null])("is told of when a module has none as its default export: %j", async (loaded) => {
    const told: unknown[] = []
    const { load, arrive } = loading()
    await mount(<SessionProvider client={load} onError={(error) => told.push(error)}><Page /></SessionProvider>, { strict })
    arrive(loaded as never)
    await vi.waitFor(() => expect(told[0]).toBeInstanceOf(TypeError))
  })

  it("is told of when it is none, and loaded again", async () => {
    const told: unknown[] = []
    const { load, arrive } = loading()
    await mount(<SessionProvider client={load} onError={(error) => told.push(error)}><Page /></SessionProvider>, { strict })
    arrive({ client: session.client } as never)
    await vi.waitFor(() => expect(told).toMatchObject([{ name: "TypeError", message: expect.stringContaining("export default createSessionClient") as string }]))
    await vi.waitFor(() => expect(load).toHaveBeenCalledTimes(strict ? 3 : 2))
    arrive()
    await vi.waitFor(() => expect(sent(session)).toBe("P"))
  })

  it("is loaded once, also by a loader that is another one at each render", async () => {
    const { load, arrive } = loading()
    const tree = () => <SessionProvider client={() => load()}><Page /></SessionProvider>
    const page = await mount(tree(), { strict })
    await page.render(tree())
    arrive()
    await vi.waitFor(() => expect(sent(session)).toBe("P"))
    await page.render(tree())
    await session.settle()
    expect(load).toHaveBeenCalledTimes(strict ? 2 : 1)
    expect(sent(session)).toBe("P")
  })

  it("that comes after the unmount opens nothing", async () => {
    const { load, arrive } = loading()
    const page = await mount(<SessionProvider client={load}><Page /></SessionProvider>, { strict })
    page.unmount()
    arrive()
    await session.settle()
    expect(sent(session)).toBe("")
  })

  it("that takes the place of a client that was given moves the tools to itself", async () => {
    const other = createTestSession()
    const { load, arrive } = loading()
    const page = await mount(<SessionProvider client={other.client}><Page /></SessionProvider>, { strict })
    await other.settle()
    expect(publishedNames(other)).toEqual(["a"])
    await page.render(<SessionProvider client={load}><Page /></SessionProvider>)
    arrive()
    await vi.waitFor(async () => {
      await other.settle()
      await session.settle()
      expect([publishedNames(other), publishedNames(session)]).toEqual([[], ["a"]])
    })
  })
})

describe("a client that cannot be loaded", () => {
  it("is asked for again, with a growing wait, and each failure is told", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] })
    vi.spyOn(Math, "random").mockReturnValue(0.5)
    const { load, fail, arrive } = loading()
    const errors: unknown[] = []
    const onError = (error: unknown): void => {
      errors.push(error)
      throw new Error("of the handler")
    }
    vi.spyOn(console, "error").mockImplementation(() => {})
    await mount(<SessionProvider client={load} onError={onError}><Page /></SessionProvider>)
    for (const [count, waitMs] of [250, 500, 1_000].entries()) {
      const error = new TypeError(`Failed to fetch, ${count}`)
      fail(error)
      await vi.advanceTimersByTimeAsync(waitMs - 1)
      expect(load).toHaveBeenCalledTimes(count + 1)
      await vi.advanceTimersByTimeAsync(1)
      expect(load).toHaveBeenCalledTimes(count + 2)
      expect(errors.at(-1)).toBe(error)
    }
    arrive()
    await vi.advanceTimersByTimeAsync(0)
    await session.settle()
    vi.restoreAllMocks()
    expect(sent(session)).toBe("P")
    expect(errors.length).toBe(3)
  })

  it("is given up with the provider", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] })
    const { load, fail } = loading()
    const page = await mount(<SessionProvider client={load} onError={() => {}}><Page /></SessionProvider>)
    fail(new TypeError("Failed to fetch"))
    await vi.advanceTimersByTimeAsync(0)
    page.unmount()
    await vi.advanceTimersByTimeAsync(0)
    expect(vi.getTimerCount()).toBe(0)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(load).toHaveBeenCalledTimes(1)
  })
})

it("A loader is not called on the server.", () => {
  const { load } = loading()
  expect(renderToString(<SessionProvider client={load}><Page /></SessionProvider>)).toContain("joining")
  expect(load).not.toHaveBeenCalled()
})

it("A client that is not known yet is null, and tools wait for it.", () => {
  expect(renderToString(<SessionProvider client={null}><Page /></SessionProvider>)).toContain("joining")
})

it.each([undefined, {}, "https://agents.example"])("a provider whose client is %j says so", (client) => {
  expect(() => renderToString(<SessionProvider client={client as never}>page</SessionProvider>)).toThrow("SessionProvider needs a session client")
})
