import { Card } from "../ui/Card.tsx"
import { modelContextOf } from "./modelContext.ts"
import { RegisteredToolRow } from "./RegisteredToolRow.tsx"
import { useRegisteredTools } from "./useRegisteredTools.ts"
import styles from "./webmcp.module.css"

/** The document's tools as the browser has them, each to be called as its agent does. */
export function BrowserToolsCard() {
  const tools = useRegisteredTools()
  if (!modelContextOf()) {
    return (
      <Card title="The browser’s tools" aside="Not in this browser">
        <p>
          This browser has no <code>document.modelContext</code>, so nothing is registered, and nothing was downloaded for it. The page works as ever.
        </p>
        <p className={styles.how}>
          Chromium has it from version 152 on behind a flag: start it with <code>--enable-features=WebMCP</code>, or turn on{" "}
          <code>chrome://flags/#enable-webmcp-testing</code>.
        </p>
      </Card>
    )
  }
  return (
    <Card title="The browser’s tools" aside={tools ? `${tools.length} registered` : "Asking the browser"}>
      <ul className={styles.tools} aria-label="Registered tools">
        {tools?.map((tool) => (
          <li key={tool.name}>
            <RegisteredToolRow tool={tool} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
