import type { QuickJSSyncVariant, QuickJSWASMModule } from "quickjs-emscripten-core"
import { optionalPackage } from "../optionalPackage.ts"

/** The packages that a sandbox needs: QuickJS for WebAssembly, and the one build of it that is used. */
export const ENGINE_PACKAGES = "quickjs-emscripten-core @jitl/quickjs-wasmfile-release-sync"

/** An engine with a memory of its own. @throws ToolError `not_installed` */
export async function loadEngine(): Promise<QuickJSWASMModule> {
  const [{ newQuickJSWASMModuleFromVariant }, build] = await optionalPackage(ENGINE_PACKAGES, () =>
    Promise.all([import("quickjs-emscripten-core"), import("@jitl/quickjs-wasmfile-release-sync")]),
  )
  // Its types are those of a CommonJS package, where TypeScript asks for Node's rules.
  const { default: variant }: { readonly default: unknown } = build
  return newQuickJSWASMModuleFromVariant(variant as QuickJSSyncVariant)
}
