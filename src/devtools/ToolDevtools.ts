import { createElement, type JSX } from "react"
import { DevtoolsShell, type ToolDevtoolsProps } from "./DevtoolsShell.tsx"

/**
 * A live panel over a session's tools: a time line of calls, what each tool publishes, what was sent and why, and a form to call a
 * tool by hand. For development: where `process.env.NODE_ENV` is `"production"` it renders nothing, and a bundler leaves all of it out.
 * `react-tool-client/devtools/production` has it in any build.
 *
 * @example
 * const session = useSession(sessionId)
 * return <ToolDevtools session={session} />
 */
export function ToolDevtools(props: ToolDevtoolsProps): JSX.Element | null {
  try {
    // Bundlers replace the expression, and so find that nothing of the panel is used. Where there is no `process`, nobody is developing.
    if (process.env.NODE_ENV !== "production") return createElement(DevtoolsShell, props)
  } catch {
    // Nothing of the panel's is caught here: it is rendered later.
  }
  return null
}
