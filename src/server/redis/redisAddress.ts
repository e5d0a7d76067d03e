/** What of a URL can be said in a log: passwords stay where they are. */
const withoutSecrets = (url: string): string => url.replace(/\/\/.*@/, "//***@")

const HOW = 'such as "redis://user:password@127.0.0.1:6379/0"; in the user and the password, percent-encode what is special (encodeURIComponent)'

function decodes(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

function wrongIn(url: string): string | undefined {
  if (!URL.canParse(url)) return "is no URL"
  const { username, password, pathname, search, hash } = new URL(url)
  // An unencoded # or ? in a password ends the host too early.
  if (hash !== "" || search.includes("@")) return 'has an unencoded "#" or "?"'
  if (!decodes(username) || !decodes(password)) return 'has an unencoded "%" in its user or password'
  if (!/^(\/\d*)?$/.test(pathname)) return /@/.test(pathname) ? 'has an unencoded "/"' : `names no database: ${JSON.stringify(pathname.slice(1))} must be its number`
  return undefined
}

/** @throws TypeError for what cannot be meant, which a client of Redis would take for something else */
export function checkRedisUrl(url: unknown): asserts url is string {
  if (typeof url !== "string" || !/^rediss?:\/\//.test(url)) {
    const shown = typeof url === "string" ? JSON.stringify(withoutSecrets(url)) : String(url)
    throw new TypeError(`redisStore: give url, ${HOW}, or client, an ioredis client; url is ${shown}.`)
  }
  const wrong = wrongIn(url)
  if (wrong !== undefined) throw new TypeError(`redisStore: url ${wrong}. Give one ${HOW}.`)
}
