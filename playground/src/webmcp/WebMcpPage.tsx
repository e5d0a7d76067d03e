import { useToolClient, useToolClientState } from "react-tool-client"
import { createLocalSession, WebMcpMirror } from "react-tool-client/webmcp"
import { CallList } from "../calls/CallList.tsx"
import { Fact } from "../layout/Fact.tsx"
import layout from "../layout/layout.module.css"
import { PageBar } from "../layout/PageBar.tsx"
import { SkipLink } from "../layout/SkipLink.tsx"
import { Badge } from "../ui/Badge.tsx"
import { BrowserToolsCard } from "./BrowserToolsCard.tsx"
import { modelContextOf } from "./modelContext.ts"
import { PaletteCard } from "./PaletteCard.tsx"

/** No server: only the browser's own agent finds the tools. */
const session = createLocalSession({ id: "palette" })

/** Tools for the browser's own agent, beside what it sees of them. */
function WebMcpPage() {
  const client = useToolClient(session, "web")
  const { tools } = useToolClientState(client)
  const isThere = modelContextOf() !== undefined
  return (
    <>
      <WebMcpMirror client={client} />
      <PageBar
        title="WebMCP"
        lead="The same tools for the browser’s own agent: no session, no server."
        facts={
          <>
            <Fact label="document.modelContext">
              <span role="status" data-testid="model-context">
                <Badge tone={isThere ? "good" : "quiet"}>{isThere ? "there" : "missing"}</Badge>
              </span>
            </Fact>
            <Fact label="Tools declared" testId="tools-declared">
              {tools.length}
            </Fact>
          </>
        }
        links={
          <SkipLink to="webmcp-agent" className={layout.toAside}>
            Agent
          </SkipLink>
        }
      />
      <div className={layout.columns}>
        <main className={layout.main} aria-label="The application">
          <div className={layout.wide}>
            <PaletteCard client={client} />
          </div>
        </main>
        <aside id="webmcp-agent" className={layout.aside} aria-label="The agent" tabIndex={-1}>
          <BrowserToolsCard />
          <CallList client={client} />
        </aside>
      </div>
    </>
  )
}

export default WebMcpPage
