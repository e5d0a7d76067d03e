/** The playground's pages, in the order of the navigation; beside what a page offers stands who uses it. */
export const PAGES = [
  { id: "session", path: "/", title: "Session", asideId: "session-agent", asideName: "the agent" },
  { id: "hub", path: "/hub", title: "Hub", asideId: "hub-agent", asideName: "the agent" },
  { id: "actions", path: "/actions", title: "Actions", asideId: "actions-host", asideName: "the host" },
  { id: "webmcp", path: "/webmcp", title: "WebMCP", asideId: "webmcp-agent", asideName: "the agent" },
] as const

export type Page = (typeof PAGES)[number]

export type PageId = Page["id"]

/** Where the address leads: a page, and what it is told. */
export interface Route {
  readonly page: Page
  readonly params: URLSearchParams
}

/** The address of a page as a link has it: `#/hub?remote=weather-2`. */
export function hrefOf(id: PageId, params: Readonly<Record<string, string>> = {}): string {
  const path = PAGES.find((page) => page.id === id)?.path ?? "/"
  const search = new URLSearchParams(params).toString()
  return `#${path}${search && `?${search}`}`
}

/** Pure: reads an address's hash; what names no page is the first. */
export function routeOf(hash: string): Route {
  const [path, search] = hash.replace(/^#/, "").split("?")
  return { page: PAGES.find((page) => page.path === path) ?? PAGES[0], params: new URLSearchParams(search) }
}
