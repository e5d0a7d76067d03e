import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import type { ActionClient } from "../action/actionClient.ts"
import type { AnyApiSchema, ApiInput, ApiOutput } from "../action/apiSchema.ts"
import type { ToolItems } from "../action/items.ts"
import type { Logger, Tool, ToolResumption } from "../action/tool.ts"
import { ToolError } from "../action/toolError.ts"
import { ToolInterrupt } from "../action/toolInterrupt.ts"
import type { ActionState } from "./actionState.ts"
import { manifestQueryOptions } from "./manifestQueryOptions.ts"

export interface UseActionOptions {
  /** @default none */
  readonly items?: ToolItems | undefined
  /** @default console */
  readonly logger?: Logger | undefined
}

export interface ActionHandle<Input, Output> {
  readonly state: ActionState<Input, Output>
  /** Calls the action; a call that still runs is aborted, an interrupt that waits given up. */
  run(input: Input): void
  /** Back to `idle`; a call that still runs is aborted. */
  reset(): void
}

interface Variables<Input> {
  readonly input: Input
  readonly resumption?: ToolResumption | undefined
  readonly signal: AbortSignal
}

/** Of the calls of one component only the newest runs. */
function createLatest(): { next(): AbortSignal; abort(): void } {
  let controller = new AbortController()
  const abort = (): void => controller.abort()
  return {
    next() {
      abort()
      controller = new AbortController()
      return controller.signal
    },
    abort,
  }
}

/**
 * Calls one action of a host as a mutation, with its interrupt and the way on in its state. Never retried by itself, since what was
 * called may have run; unmounting aborts it.
 *
 * @param client - The host; with `createActionClient<ApiSchema>` the name, the input and the output are typed.
 * @param name - The action's function name.
 * @example
 * const { state, run } = useAction(client, "demoBuy")
 * if (state.status === "interrupted") return <Ask text={state.interrupt.message} onAnswer={state.resume} />
 */
export function useAction<Api extends AnyApiSchema, Name extends keyof Api["actions"] & string>(
  client: ActionClient<Api>,
  name: Name,
  { items, logger = console }: UseActionOptions = {},
): ActionHandle<ApiInput<Api, Name>, ApiOutput<Api, Name>> {
  type Input = ApiInput<Api, Name>
  const queryClient = useQueryClient()
  const [running] = useState(createLatest)
  useEffect(() => running.abort, [running])

  const mutation = useMutation<ApiOutput<Api, Name>, Error, Variables<Input>>({
    retry: false,
    // A paused call would run when nobody expects it.
    networkMode: "always",
    async mutationFn({ input, resumption, signal }) {
      const tools: Readonly<Record<string, Tool>> = client.toTools(await queryClient.ensureQueryData(manifestQueryOptions(client)))
      const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
      if (!tool) throw new ToolError("not_found", name, "the host's manifest has no action of this name; write the types again")
      return (await tool.execute(input, { logger, items, signal, resumption })) as ApiOutput<Api, Name>
    },
  })
  const { mutate, reset, status, variables, data, error } = mutation

  function start(input: Input, resumption?: ToolResumption): void {
    mutate({ input, resumption, signal: running.next() })
  }

  function stateOf(): ActionState<Input, ApiOutput<Api, Name>> {
    if (status === "idle") return { status: "idle" }
    const { input } = variables
    if (status === "pending") return { status: "running", input }
    if (status === "success") return { status: "completed", input, data }
    if (!(error instanceof ToolInterrupt)) return { status: "failed", input, error }
    return { status: "interrupted", input, interrupt: error, resume: (answer) => start(input, { state: error.state, answer }) }
  }

  return {
    state: stateOf(),
    run: (input) => start(input),
    reset() {
      running.abort()
      reset()
    },
  }
}
