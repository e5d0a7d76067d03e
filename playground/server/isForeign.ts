/** Whether a request is of another origin's page; what comes from no browser says no origin. */
export function isForeign({ headers, url }: Request): boolean {
  const origin = headers.get("origin")
  return origin !== null && !(URL.canParse(origin) && new URL(origin).host === new URL(url).host)
}
