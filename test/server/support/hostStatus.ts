import { request } from "node:http"

/** The status of a request that is addressed by another name than where it goes: `fetch` would not let the two differ. */
export const hostStatus = (url: string, host: string, headers: Readonly<Record<string, string>> = {}): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(url, { headers: { host, ...headers } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on("error", reject)
      .end()
  })
