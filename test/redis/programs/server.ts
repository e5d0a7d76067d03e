// A session server as a process of its own: says where it listens, and serves until it is killed.
import { createSessionServer, serve } from "../../../src/server/index.ts"
import { redisStore } from "../../../src/server/redis/index.ts"

const { REDIS_URL = "", API_KEY = "", SECRET = "", PORT = "0" } = process.env
const server = createSessionServer({ apiKey: API_KEY, secret: SECRET, store: redisStore({ url: REDIS_URL }) })
const { url } = await serve(server, { port: Number(PORT) })
console.log(url)
