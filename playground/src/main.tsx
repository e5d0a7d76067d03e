import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { createSessionClient } from "react-tool-client"
import { App } from "./App.tsx"
import { createBackEnd } from "./session/backEnd.ts"
import "./styles/tokens.css"
import "./styles/base.css"

const backEnd = createBackEnd()
const client = createSessionClient({ baseUrl: "", getToken: backEnd.getToken })

const root = document.querySelector("#root")
if (!root) throw new Error("index.html has no #root.")
createRoot(root).render(
  <StrictMode>
    <App client={client} backEnd={backEnd} />
  </StrictMode>,
)
