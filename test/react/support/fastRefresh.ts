// The runtime that Vite's Fast Refresh runs on. It hooks into React DOM as that is loaded, so this is imported before it.
interface RefreshRuntime {
  injectIntoGlobalHook(global: object): void
  register(type: unknown, id: string): void
  createSignatureFunctionForTransform(): (type?: unknown, key?: string, forceReset?: boolean) => void
  validateRefreshBoundaryAndEnqueueUpdate(id: string, before: object, after: object): string | undefined
}

const path = "../../../node_modules/@vitejs/plugin-react/dist/refresh-runtime.js"
const runtime = (await import(/* @vite-ignore */ path)) as RefreshRuntime
runtime.injectIntoGlobalHook(globalThis)

/** The first version of a component, as its module is loaded. */
export function load(id: string, component: unknown): void {
  runtime.register(component, id)
}

/** The next version: the state is kept, or where the signature of its hooks is another one, the component is mounted anew. */
export async function save(id: string, before: unknown, after: unknown, isRemounted = false): Promise<void> {
  for (const [component, signature] of [[before, "hooks"], [after, isRemounted ? "other hooks" : "hooks"]]) {
    runtime.createSignatureFunctionForTransform()(component, signature as string)
  }
  runtime.register(after, id)
  runtime.validateRefreshBoundaryAndEnqueueUpdate(id, { Component: before }, { Component: after })
}
