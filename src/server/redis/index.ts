/** `react-tool-client/server/redis`: sessions that several server processes share. */
export { redisStore, type RedisStoreOptions } from "./redisStore.ts"
