// What runs in the worker of a `Sandbox`: `new Worker(new URL("react-tool-client/sandbox-worker", import.meta.url), { type: "module" })`.
// All imports are static, and of whole modules: a bundler whose workers are classic scripts can split no code (Vite before 8, by default),
// and where the packages are not installed an application that never makes a Sandbox must still be built.
import * as loader from "@jitl/quickjs-wasmfile-release-sync/emscripten-module"
import * as bindings from "@jitl/quickjs-wasmfile-release-sync/ffi"
import * as core from "quickjs-emscripten-core"
import type { EmscriptenModuleLoader, QuickJSEmscriptenModule } from "quickjs-emscripten-core"
import { reasonOf } from "../../tool/reason.ts"
import type { FromSandbox, ToSandbox } from "./sandboxMessages.ts"
import { createScriptServer } from "./scriptServer.ts"

/** The part of a worker's global scope that is used; TypeScript's own types of it exclude those of a page. */
interface WorkerScope {
  postMessage(message: FromSandbox): void
  addEventListener(type: "message", listener: (event: { readonly data: ToSandbox }) => void): void
}

async function serve(scope: WorkerScope): Promise<void> {
  const send = (message: FromSandbox): void => scope.postMessage(message)
  try {
    // Its types are those of a CommonJS package, where TypeScript asks for Node's rules.
    const { default: load }: { readonly default: unknown } = loader
    const module = await (load as EmscriptenModuleLoader<QuickJSEmscriptenModule>)()
    module.type = "sync"
    const server = createScriptServer(new core.QuickJSWASMModule(module, new bindings.QuickJSFFI(module)), send)
    scope.addEventListener("message", ({ data }) => server.receive(data))
    send({ type: "ready" })
  } catch (thrown) {
    send({ type: "unavailable", isMissing: false, problem: reasonOf(thrown) })
  }
}

// A page, or Node, has imported it by mistake: it does nothing there.
if (typeof document === "undefined" && "WorkerGlobalScope" in globalThis) void serve(globalThis)
