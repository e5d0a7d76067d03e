/** One turn of the event loop, by a channel that neither a hidden page nor a fake timer slows down. */
export const turn = (): Promise<void> =>
  new Promise((resolve) => {
    // React Native has none, and no hidden pages either.
    if (typeof MessageChannel === "undefined") return void setTimeout(resolve)
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })
