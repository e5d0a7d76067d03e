import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as hubLink from "../../src/hub/hubLink.ts"
import * as messages from "../../src/hub/messages.ts"
import { TAKE_OVER_AFTER_MS } from "../../src/hub/freedNames.ts"
import { TAKEN_NAME_PATIENCE_MS } from "../../src/hub/takenNames.ts"
import * as limits from "../../src/server/hubLimits.ts"

const documentText = readFileSync(new URL("../../docs/HUB-PROTOCOL.md", import.meta.url), "utf8")

/** A section, from its heading to the next. */
const section = (title: string): string => documentText.split("\n## ").find((part) => part.startsWith(`${title}\n`)) ?? ""

describe("docs/HUB-PROTOCOL.md", () => {
  it.each([
    ["Authenticating", messages.AUTHENTICATE_TIMEOUT_MS, `**${messages.AUTHENTICATE_TIMEOUT_MS / 1000} s**`],
    ["Calls", messages.REMOTE_CALL_TIMEOUT_MS, `within **${messages.REMOTE_CALL_TIMEOUT_MS / 1000} s**`],
    ["Calls", limits.MAX_PENDING_CALLS, `${limits.MAX_PENDING_CALLS} calls of the remote are waiting`],
    ["Changing the functions", messages.REMOTE_CALL_TIMEOUT_MS, `at most ${messages.REMOTE_CALL_TIMEOUT_MS / 1000} s`],
    ["Taking over", TAKEN_NAME_PATIENCE_MS, `**${TAKEN_NAME_PATIENCE_MS / 1000} s**`],
    ["Taking over", TAKE_OVER_AFTER_MS, `**${TAKE_OVER_AFTER_MS / 1000} s** after the hub reports it`],
    ["Liveness", limits.HUB_PING_MS, `every **${limits.HUB_PING_MS / 1000} s**`],
    ["Liveness", hubLink.PROBE_AFTER_MS, `After **${hubLink.PROBE_AFTER_MS / 1000} s**`],
    ["Liveness", hubLink.PROBE_TIMEOUT_MS, `within **${hubLink.PROBE_TIMEOUT_MS / 1000} s**`],
    ["Limits", messages.MAX_MESSAGE_BYTES, `| one message | ${messages.MAX_MESSAGE_BYTES / 1024 ** 2} MiB |`],
    ["Limits", messages.MAX_MESSAGE_DEPTH, `| depth of a message | ${messages.MAX_MESSAGE_DEPTH} |`],
    ["Limits", limits.MAX_REMOTES, `| ${limits.MAX_REMOTES}, ${messages.MAX_FUNCTIONS} |`],
    ["Limits", limits.MAX_RUNNING_PROMPTS, `| ${limits.MAX_PENDING_CALLS}, ${limits.MAX_RUNNING_PROMPTS} |`],
    ["Limits", limits.PAUSE_ABOVE_BYTES, `| bytes that wait for a session's reader | ${limits.PAUSE_ABOVE_BYTES / 1024 ** 2} MiB |`],
    ["Limits", limits.END_ABOVE_BYTES, `| | ${limits.END_ABOVE_BYTES / 1024 ** 2} MiB |`],
  ])('says in "%s" the number of the code: %i', (title, _number, text) => {
    expect(section(title)).toContain(text)
  })

  it("has every error text of the protocol, to the letter", () => {
    for (const text of [
      messages.errorText.alreadyConnected("x"),
      messages.errorText.notConnected("x"),
      messages.errorText.noFunction("x", "f"),
      messages.errorText.timedOut("x"),
      messages.errorText.disconnected("x"),
      messages.errorText.unknownAction("x"),
    ]) {
      expect(documentText).toContain(text)
    }
  })

  it("is cited in src/hub and src/server by headings that it has", () => {
    const sources = ["hub/hubLink", "hub/hubPort", "hub/takenNames", "hub/freedNames", "hub/messages", "server/hubLimits", "server/hubExpandRemotes"].map((path) =>
      readFileSync(new URL(`../../src/${path}.ts`, import.meta.url), "utf8"),
    )
    const cited = sources.join("\n").matchAll(/docs\/HUB-PROTOCOL\.md, "([^"]+)"/g)
    for (const [, title = ""] of cited) expect(section(title)).not.toBe("")
  })
})
