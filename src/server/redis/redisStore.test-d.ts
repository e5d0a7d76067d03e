import type { Redis } from "ioredis"
import { expectTypeOf, test } from "vitest"
import { createSessionServer } from "../createSessionServer.ts"
import type { SessionStorage } from "../sessionStore.ts"
import { redisStore } from "./redisStore.ts"

declare const client: Redis

test("a store is made of a URL or of a client, never of both or neither", () => {
  expectTypeOf(redisStore({ url: "redis://127.0.0.1" })).toEqualTypeOf<SessionStorage>()
  expectTypeOf(redisStore({ client, prefix: "mine:" })).toEqualTypeOf<SessionStorage>()
  // @ts-expect-error one of the two
  redisStore({ prefix: "mine:" })
  // @ts-expect-error not both
  redisStore({ url: "redis://127.0.0.1", client })
  createSessionServer({ store: redisStore({ client }) })
})
