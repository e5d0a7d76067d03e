import { expect, test } from "vitest"
import { checkRedisUrl } from "./redisAddress.ts"

const messageOf = (url: unknown): string => {
  try {
    checkRedisUrl(url)
  } catch (error) {
    return (error as Error).message
  }
  return "taken"
}

test.each(["redis://127.0.0.1", "rediss://h:6380/3", "redis://:p%23w@h:1/", `redis://u:${encodeURIComponent("p@ss:w/o#r?d%")}@[::1]:6379/0?family=6`])("%s is taken.", (url) => {
  expect(messageOf(url)).toBe("taken")
})

test.each([
  ["redis://:secret#1@host:6379", "url"],
  ["redis://user:12#3secret@host", 'unencoded "#" or "?"'],
  ["redis://user:12?3secret@host", 'unencoded "#" or "?"'],
  ["redis://user:secret/1@host:6379", "url"],
  ["redis://user:12/3secret@host:6379", 'unencoded "/"'],
  ["redis://user:secret%@host", 'unencoded "%"'],
  ["redis://host/production", '"production" must be its number'],
  ["http://user:secret@host", "give url"],
  ["", "give url"],
  [undefined, "url is undefined"],
])("%s is refused, and its password is not said.", (url, message) => {
  expect(messageOf(url)).toContain(message)
  expect(messageOf(url)).not.toContain("secret")
})
