import type { SandboxWorker } from "./sandboxWorkerType.ts"

/** See its twin in `createWorkerNode.ts`. Written as bundlers know it: they build the worker, and put its address here. */
export const createWorker = (): SandboxWorker => new Worker(new URL("./sandboxWorker.ts", import.meta.url), { type: "module", name: "react-tool-client-sandbox" })
