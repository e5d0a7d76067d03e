import { useState } from "react"
import { parametersOf } from "react-tool-client"
import { useActionTools } from "react-tool-client/query"
import type { ActionClient, Manifest } from "react-tool-client/tools"
import { ToolForm } from "../agent/ToolForm.tsx"
import { Columns } from "../layout/Columns.tsx"
import layout from "../layout/layout.module.css"
import { AnswerText } from "../ui/AnswerText.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import { ActionPicker } from "./ActionPicker.tsx"
import styles from "./actions.module.css"
import { ManifestCard } from "./ManifestCard.tsx"
import { SideCard } from "./SideCard.tsx"
import { type Side, useSide } from "./useSide.ts"

export interface ActionBenchProps {
  readonly manifest: Manifest
  /** Runs the actions in this page. */
  readonly here: ActionClient
  /** Asks the dev server's host. */
  readonly there: ActionClient
}

function Comparison({ here, there }: { readonly here: Side["state"]; readonly there: Side["state"] }) {
  if (here.status !== "completed" || there.status !== "completed") return null
  const isSame = JSON.stringify(here.data) === JSON.stringify(there.data)
  return <Badge tone={isSame ? "good" : "bad"}>{isSame ? "same output" : "different outputs"}</Badge>
}

/** One call, made twice: in this process, and across HTTP. */
export function ActionBench({ manifest, here, there }: ActionBenchProps) {
  const actions = manifest.providers.flatMap((provider) => provider.actions)
  const [picked, setPicked] = useState(actions[0]?.functionName ?? "")
  const action = actions.find(({ functionName }) => functionName === picked) ?? actions[0]
  const [args, setArgs] = useState("{}")
  const { data: tools } = useActionTools(there)
  const inProcess = useSide(here, picked)
  const overHttp = useSide(there, picked)
  const tool = tools?.[picked]
  if (!action || !tool) return <p className={layout.loading}>The host has no actions.</p>
  // Of the tool's own schema, which was rebuilt from the manifest's.
  const parameters = parametersOf({ schema: tool.input })

  return (
    <Columns
      mainTitle="Actions"
      mainLabel="Actions"
      main={
        <>
          <div className={layout.wide}>
            <Card title="Action" aside={<Comparison here={inProcess.state} there={overHttp.state} />}>
              <ActionPicker
                manifest={manifest}
                picked={action}
                onPick={(functionName) => {
                  setPicked(functionName)
                  inProcess.reset()
                  overHttp.reset()
                }}
              />
              <ToolForm
                key={picked}
                parameters={parameters}
                action="Run both"
                onWritten={setArgs}
                onCall={(input) => {
                  inProcess.run(input)
                  overHttp.run(input)
                }}
              />
            </Card>
          </div>
          <SideCard title="In process" note="The registry's tool, run in this page." side={inProcess} />
          <SideCard title="Across HTTP" note="The host's tool, run in the dev server." side={overHttp} />
        </>
      }
      asideId="actions-host"
      asideTitle="Host"
      asideLabel="The host"
      aside={
        <>
          <ManifestCard manifest={manifest} />
          <Card title="As code">
            <div className={styles.code}>
              <AnswerText label="The call as code" text={codeOf(picked, args)} />
            </div>
          </Card>
        </>
      }
    />
  )
}

const codeOf = (functionName: string, args: string): string =>
  [
    `const { state, run } = useAction(client, "${functionName}")`,
    `run(${args})`,
    'if (state.status === "interrupted") state.resume(answer)',
  ].join("\n")
