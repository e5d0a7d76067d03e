import { createHubClient } from "react-tool-client/hub"
import { requestJson } from "../session/requestJson.ts"

/** The page's session at the dev server's hub. Asked anew at each connection: a restarted server has another token. */
export const pageHub = createHubClient({
  url: "/ws",
  auth: () => requestJson<{ readonly token: string }>("/playground/hub/tokens", { method: "POST" }),
})
