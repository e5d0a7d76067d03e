interface ErrorBody {
  readonly error?: { readonly message?: string }
}

/**
 * A request whose answer is JSON.
 *
 * @throws Error with the server's own words where it refuses
 */
export async function requestJson<Body>(url: string, init?: RequestInit): Promise<Body> {
  const response = await fetch(url, init)
  const body: unknown = await response.json().catch(() => undefined)
  if (response.ok) return body as Body
  throw new Error((body as ErrorBody | undefined)?.error?.message ?? `The server answered ${response.status}.`)
}
