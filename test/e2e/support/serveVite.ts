import { createServer, type InlineConfig, mergeConfig } from "vite"

export interface ServedVite {
  /** Without a slash at its end. */
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

/** A dev server on a free port, which nothing that happens in the repository meanwhile reloads. */
export async function serveVite(config: InlineConfig): Promise<ServedVite> {
  const fixed: InlineConfig = {
    logLevel: "error",
    clearScreen: false,
    server: { port: 0, host: "127.0.0.1", hmr: false, watch: null },
  }
  const server = await createServer(mergeConfig(fixed, config))
  await server.listen()
  const address = server.httpServer?.address()
  if (typeof address !== "object" || address === null) throw new Error("The dev server listens nowhere.")
  return { url: `http://127.0.0.1:${address.port}`, port: address.port, close: () => server.close() }
}
