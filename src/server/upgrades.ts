/** What whoever listens to a server's upgrades must do: Node hands a socket over without anybody who hears its errors, or who ends it. */
import type { EventEmitter } from "node:events"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"

const ignore = (): void => {}

/** A socket that its peer resets while nobody listens ends the process. To be said of each, also of those that are left to others. */
function surviveErrors(duplex: Duplex): void {
  duplex.on("error", ignore)
}

const REASONS = { 403: "Forbidden", 404: "Not Found" } as const

export function refuseUpgrade(duplex: Duplex, status: keyof typeof REASONS, text = ""): void {
  const head = [`HTTP/1.1 ${status} ${REASONS[status]}`, "Connection: close", "Content-Type: text/plain; charset=utf-8", `Content-Length: ${new TextEncoder().encode(text).byteLength}`]
  // Else it would be half open for as long as its peer likes.
  duplex.once("finish", () => duplex.destroy())
  duplex.end(`${head.join("\r\n")}\r\n\r\n${text}`)
}

/** The path, without what follows its question mark. */
export const upgradePath = ({ url = "" }: Pick<IncomingMessage, "url">): string => url.split("?")[0] ?? ""

/** Headers that ask for an upgrade (RFC 9110 §7.8, RFC 7540 §3.2.1). */
const ASKING = new Set(["upgrade", "connection", "http2-settings"])

/**
 * Takes a request up as if it had not asked for an upgrade, which HTTP allows (RFC 9110 §7.8): clients that speak HTTP/2 ask each server
 * for it (Java's own, `curl --http2`), and need no more than a plain answer.
 */
function answerPlainly(http: UpgradeSource, incoming: IncomingMessage, duplex: Duplex, head: Uint8Array): void {
  const lines = [`${incoming.method} ${incoming.url} HTTP/${incoming.httpVersion}`]
  for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
    const name = incoming.rawHeaders[index] ?? ""
    if (!ASKING.has(name.toLowerCase())) lines.push(`${name}: ${incoming.rawHeaders[index + 1]}`)
  }
  // Node has read the head as Latin-1, and nothing of the body.
  duplex.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]))
  http.emit("encrypted" in duplex ? "secureConnection" : "connection", duplex)
}

/** What is used of a server of `node:http`, `node:https`, `node:http2`, or of what a framework's `serve` gives: any of Node's own, whose own methods differ by their overloads. */
export interface UpgradeSource extends Pick<EventEmitter, "on" | "off" | "emit" | "listenerCount" | "prependListener"> {
  readonly listening: boolean
}

export interface UpgradeTaker {
  takes(incoming: IncomingMessage): boolean
  take(incoming: IncomingMessage, duplex: Duplex, head: Buffer): void
}

interface Takers {
  readonly all: Set<UpgradeTaker>
  stop(): void
}

/** By server: those of one must know of each other, to tell what is nobody's. */
const takersOf = new WeakMap<UpgradeSource, Takers>()

function listen(http: UpgradeSource): Takers {
  const all = new Set<UpgradeTaker>()

  function onUpgrade(incoming: IncomingMessage, duplex: Duplex, head: Buffer): void {
    surviveErrors(duplex)
    // Not writable: whoever heard of it first has refused it.
    if (!duplex.writable) return
    for (const taker of all) if (taker.takes(incoming)) return taker.take(incoming, duplex, head)
    // Somebody else's, such as a framework's: that it is nobody's, only they can say.
    if (http.listenerCount("upgrade") > 1) return
    if (incoming.headers.upgrade?.toLowerCase() !== "websocket") return answerPlainly(http, incoming, duplex, head)
    refuseUpgrade(duplex, 404, `There is no WebSocket at ${upgradePath(incoming)}.`)
  }

  http.on("upgrade", onUpgrade)
  return { all, stop: () => void http.off("upgrade", onUpgrade) }
}

/** Offers a server's upgrades to the taker, after those that were there before; returns what ends it. */
export function takeUpgrades(http: UpgradeSource, taker: UpgradeTaker): () => void {
  const takers = takersOf.get(http) ?? listen(http)
  takersOf.set(http, takers)
  takers.all.add(taker)
  return () => {
    takers.all.delete(taker)
    if (takers.all.size > 0 || takersOf.get(http) !== takers) return
    takersOf.delete(http)
    takers.stop()
  }
}
