// Without `node:`, by which webpack would not know it for a worker to build.
import { Worker } from "worker_threads"
import type { SandboxWorker } from "./sandboxWorkerType.ts"

/** A worker thread that has begun to load what it runs. */
export const createWorker = (): SandboxWorker => new Worker(new URL("./sandboxWorkerNode.ts", import.meta.url), { name: "react-tool-client-sandbox" })
