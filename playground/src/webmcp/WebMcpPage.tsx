import { useToolClient, useToolClientState } from "react-tool-client"
import { createLocalSession, WebMcpMirror } from "react-tool-client/webmcp"
import { CallList } from "../calls/CallList.tsx"
import { Fact } from "../layout/Fact.tsx"
import { Columns } from "../layout/Columns.tsx"
import layout from "../layout/layout.module.css"
import { PageBar } from "../layout/PageBar.tsx"
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
      />
      <Columns
        mainTitle="Application"
        mainLabel="The application"
        main={
          <div className={layout.wide}>
            <PaletteCard client={client} />
          </div>
        }
        asideId="webmcp-agent"
        asideTitle="Agent"
        asideLabel="The agent"
        aside={
          <>
            <BrowserToolsCard />
            <CallList client={client} />
          </>
        }
      />
    </>
  )
}

export default WebMcpPage
