// What a call costs at Redis, counted: each script is one round trip for the one who waits for it.
import { beforeAll, expect, test } from "vitest"
import { COMMIT, COMMIT_END, READ } from "../../src/server/redis/redisScripts.ts"
import { openServer } from "./support/openServer.ts"
import { describeWithRedis, type RunningRedis, startRedis } from "./support/startRedis.ts"
import { until } from "./support/until.ts"

describeWithRedis("Round trips to Redis", () => {
  let redis: RunningRedis
  beforeAll(async () => {
    redis = await startRedis()
  })

  /** What scripts have run since the last look, sessions being the same. */
  async function watchScripts() {
    const monitor = await redis.client.monitor()
    let seen: string[] = []
    let marks = 0
    monitor.on("monitor", (_time: string, [command = "", sha = ""]: string[]) => {
      if (command === "evalsha" && [COMMIT.sha, COMMIT_END.sha].includes(sha)) seen.push("commit")
      if (command === "evalsha" && sha === READ.sha) seen.push("read")
      if (command === "echo") marks++
    })
    return {
      async take(): Promise<string[]> {
        const next = marks + 1
        await redis.client.echo("mark")
        await until(() => marks >= next)
        const taken = seen
        seen = []
        return taken
      },
      stop: () => monitor.disconnect(),
    }
  }

  async function setUp() {
    const agents = openServer(redis.url)
    const pages = openServer(redis.url)
    const { id, token } = await pages.server.createSession()
    const page = pages.page(id, token)
    const events = await page.stream()
    await events.nextOf("session.running")
    const { body: client } = await page.register()
    await events.nextOf("tool_client.registered")
    const start = async () => {
      const outcome = agents.server.callTool(id, "client__web__add")
      return { outcome, call: await events.nextOf("tool_call.dispatched") }
    }
    return { page, client, events, start }
  }

  test("A call takes one to be made, one for its ack and one for its answer, and nobody asks anything.", async () => {
    const { page, client, events, start } = await setUp()
    const scripts = await watchScripts()
    for (let warm = 0; warm < 2; warm++) {
      const { outcome, call } = await start()
      await page.answer(client.id, call.call_id)
      await outcome
    }
    // Another process' ping comes in between, as it does.
    await page.ping(client.id)
    await events.nextOf("tool_call.settled")
    await scripts.take()

    const { outcome, call } = await start()
    const first = await scripts.take()
    expect(first).toEqual(["commit"])
    await page.ack(client.id, call.call_id)
    expect(await scripts.take()).toEqual(["commit"])
    await page.answer(client.id, call.call_id)
    await outcome
    expect(await scripts.take()).toEqual(["commit"])
    scripts.stop()
  })

  test("The ack of a quick tool is written together with its answer, which waits for neither.", async () => {
    const { page, client, start } = await setUp()
    const warm = await start()
    await page.answer(client.id, warm.call.call_id)
    await warm.outcome
    const scripts = await watchScripts()
    await scripts.take()
    const { outcome, call } = await start()
    const answers = await Promise.all([page.ack(client.id, call.call_id), page.answer(client.id, call.call_id)])
    expect(answers.map(({ status }) => status)).toEqual([204, 204])
    await outcome
    expect(await scripts.take()).toEqual(["commit", "commit"])
    scripts.stop()
  })

  test("A process that knows nothing of a session reaches its page with two.", async () => {
    const { start } = await setUp()
    const scripts = await watchScripts()
    const { outcome } = await start()
    outcome.catch(() => {})
    expect((await scripts.take()).filter((name) => name === "commit")).toHaveLength(2)
    scripts.stop()
  })
})
