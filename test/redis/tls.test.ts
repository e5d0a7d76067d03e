// Redis over TLS, with a certificate of the test's own.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redis } from "ioredis"
import { beforeAll, expect, onTestFinished, test } from "vitest"
import { redisStore } from "../../src/server/redis/index.ts"
import { createCertificate } from "../server/support/createCertificate.ts"
import { atEndOfFile } from "./support/atEndOfFile.ts"
import { openServer } from "./support/openServer.ts"
import { describeWithRedis, freePort, type RunningRedis, startRedis } from "./support/startRedis.ts"
import { until } from "./support/until.ts"

describeWithRedis("A Redis over TLS", () => {
  let cert: string
  let redis: RunningRedis
  let tlsPort: number

  beforeAll(async () => {
    const certificate = await createCertificate()
    cert = certificate.cert
    const folder = mkdtempSync(join(tmpdir(), "tls-"))
    atEndOfFile(() => rmSync(folder, { recursive: true }))
    const [certPath, keyPath] = [join(folder, "cert.pem"), join(folder, "key.pem")]
    writeFileSync(certPath, cert)
    writeFileSync(keyPath, certificate.key)
    tlsPort = await freePort()
    redis = await startRedis({ args: ["--tls-port", String(tlsPort), "--tls-cert-file", certPath, "--tls-key-file", keyPath, "--tls-ca-cert-file", certPath, "--tls-auth-clients", "no"] })
  })

  /** Only read by the store; closed with the test. */
  function closedLater(client: Redis): Redis {
    onTestFinished(() => client.disconnect())
    return client
  }

  const isReady = ({ server }: ReturnType<typeof openServer>) => () => server.readiness().status === "ready"

  async function serves(opened: ReturnType<typeof openServer>): Promise<void> {
    await until(isReady(opened))
    const { id, token } = await opened.server.createSession()
    const page = opened.page(id, token)
    const events = await page.stream()
    await events.nextOf("session.running")
    const { body: client } = await page.register()
    const outcome = opened.server.callTool(id, "client__web__add")
    await page.answer(client.id, (await events.nextOf("tool_call.dispatched")).call_id)
    expect(await outcome).toMatchObject({ is_error: false })
    expect(opened.logged).toEqual([])
  }

  test("keeps sessions by the options of a client: a certificate's authority, with host and port or with a URL.", async () => {
    await serves(openServer("", { store: redisStore({ client: closedLater(new Redis({ host: "127.0.0.1", port: tlsPort, tls: { ca: cert }, lazyConnect: true })) }) }))
    await serves(openServer("", { store: redisStore({ client: closedLater(new Redis(`rediss://localhost:${tlsPort}`, { tls: { ca: cert }, lazyConnect: true })) }) }))
  })

  test("is one server with the same Redis without TLS: both of its ports lead to the same sessions.", async () => {
    const secure = openServer("", { store: redisStore({ client: closedLater(new Redis(`rediss://localhost:${tlsPort}`, { tls: { ca: cert }, lazyConnect: true })) }) })
    const plain = openServer(redis.url)
    const { id, token } = await secure.server.createSession()
    expect((await plain.page(id, token).register()).status).toBe(201)
    expect(await secure.server.tools(id)).toHaveLength(1)
  })

  test.each([
    ["whose certificate nobody here has signed", () => `rediss://localhost:${tlsPort}`, "certificate"],
    ["that is asked for without TLS", () => `redis://localhost:${tlsPort}`, "rediss://"],
    ["at a port that speaks none", () => `rediss://localhost:${redis.port}`, "redis://"],
  ])("%s is not ready, and the operator is told what to look at.", async (_what, url, hint) => {
    const opened = openServer(url())
    await until(() => opened.logged.length > 0)
    expect(opened.logged[0]).toContain(hint)
    await until(() => JSON.stringify(opened.server.readiness()).includes(hint))
    await expect(opened.server.createSession()).rejects.toMatchObject({ status: 503, code: "store_unavailable" })
  })
})
