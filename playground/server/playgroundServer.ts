import { randomBytes } from "node:crypto"
import type { Server } from "node:http"
import { getRequestListener } from "@hono/node-server"
import type { Logger, Plugin, PreviewServer, ViteDevServer } from "vite"
import { attachEventSockets, createSessionServer } from "../../src/server/index.ts"
import { createPlaygroundActions } from "./actions/createPlaygroundActions.ts"
import { chatModelOf } from "./chat/chatModel.ts"
import { createChat } from "./chat/createChat.ts"
import { createPlaygroundApi, isApiPath } from "./createPlaygroundApi.ts"
import { curlCall, curlTools } from "./curlLines.ts"
import { createPlaygroundHub } from "./hub/createPlaygroundHub.ts"

/** For development on one's own machine. A real one comes from the environment, and no page knows it. */
const API_KEY = "dev"

const SECRET_BYTES = 32

/** Says once a session how an agent reaches it from a terminal. */
function createSessionAnnouncer(logger: Logger) {
  const announced = new Set<string>()
  return (sessionId: string, origin: string): void => {
    if (announced.has(sessionId)) return
    announced.add(sessionId)
    const options = { origin, apiKey: API_KEY, sessionId }
    logger.info(
      [
        "",
        `  A page is in session ${sessionId}. To be its agent:`,
        "",
        `  ${curlTools(options)}`,
        "",
        `  ${curlCall(options, "client__web__add_todo", { title: "Water the plants" })}`,
        "",
      ].join("\n"),
    )
  }
}

/** Puts a session server, a hub, an action host and the page's back end into Vite's server, the dev server and the preview alike. */
export function playgroundServer(): Plugin {
  async function attach(server: ViteDevServer | PreviewServer): Promise<void> {
    const { httpServer } = server
    const { logger } = server.config
    const sessions = createSessionServer({ apiKey: API_KEY, secret: randomBytes(SECRET_BYTES).toString("base64url") })
    const hub = createPlaygroundHub({ warn: (message) => logger.warn(message), error: (message, error) => logger.error(`${message} ${String(error)}`) })
    const model = chatModelOf(process.env)
    const api = createPlaygroundApi({
      sessions,
      actions: createPlaygroundActions(),
      apiKey: API_KEY,
      chat: createChat(sessions, model),
      modelName: model.name,
      hubToken: hub.token,
      onSession: createSessionAnnouncer(logger),
    })
    const listener = getRequestListener(api.fetch, { overrideGlobalObjects: false })
    server.middlewares.use((incoming, outgoing, next) => {
      if (isApiPath(incoming.url ?? "")) void listener(incoming, outgoing)
      else next()
    })
    httpServer?.once("close", () => {
      void sessions.close()
      void hub.close()
    })
    if (httpServer) {
      // Vite's own socket, the sessions' and the hub's have paths of their own, and each leaves the others' alone.
      await attachEventSockets(httpServer as Server, api)
      await hub.attach(httpServer as Server, "/ws")
    }

    const printUrls = server.printUrls.bind(server)
    server.printUrls = () => {
      printUrls()
      logger.info(`\n  Open the page: it offers tools to a session. Chat with its agent (${model.name}), or be the agent, in the console or by the curl lines printed here.`)
    }
  }
  return { name: "playground-server", configureServer: attach, configurePreviewServer: attach }
}
