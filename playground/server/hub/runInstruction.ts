import type { AgentReport, AgentReportCall } from "../../src/hub/agentReport.ts"

/** A tool of the run, the agent's own or a remote's. */
export interface CallableTool {
  readonly name: string
  readonly description: string
  execute(args: unknown): Promise<{ readonly text: string; readonly is_error: boolean }>
}

/** `get_forecast`, or `get_forecast {"city": "Rome"}`. */
const CALL = /^([\w-]+)\s*(\{.*\})?$/

const SYNTAX = 'Write a call a line: a tool\'s name, and after it the arguments as JSON, such as get_forecast {"city": "Rome"}.'

const failed = (tool: string, args: unknown, text: string): AgentReportCall => ({ tool, arguments: args, text, is_error: true })

async function runLine(line: string, tools: readonly CallableTool[]): Promise<AgentReportCall | undefined> {
  const [, name = "", json = "{}"] = CALL.exec(line) ?? []
  const tool = tools.find((one) => one.name === name)
  // A single word that is no tool is only a word.
  if (!tool) return name !== "" && line.includes("{") ? failed(name, json, `There is no tool "${name}" in this run.`) : undefined
  let args: unknown
  try {
    args = JSON.parse(json)
  } catch (error) {
    return failed(name, json, `The arguments are no JSON: ${(error as Error).message}`)
  }
  return { tool: name, arguments: args, ...(await tool.execute(args)) }
}

/** A stand-in for a model: calls what the instruction's lines name, one after the other, and says what there is to call. */
export async function runInstruction(instruction: string, tools: readonly CallableTool[], signal: AbortSignal): Promise<AgentReport> {
  const calls: AgentReportCall[] = []
  for (const line of instruction.split("\n")) {
    signal.throwIfAborted()
    const call = await runLine(line.trim(), tools)
    if (call) calls.push(call)
  }
  const names = tools.map(({ name }) => name)
  return {
    tools: tools.map(({ name, description }) => ({ name, description })),
    calls,
    text: calls.length === 0 ? `I can call ${names.join(", ")}. ${SYNTAX}` : `I made ${calls.length === 1 ? "one call" : `${calls.length} calls`}.`,
  }
}
