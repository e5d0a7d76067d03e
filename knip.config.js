/** @type {import("knip").KnipConfig} */
export default {
  // What package.json's exports name is found by itself.
  entry: [
    "scripts/*.mjs",
    "bench/{index,server/index}.ts",
    "bench/server/serverProcess.ts", // run as a process of its own
    "bench/peers/{inPage,subjects/*}.tsx", // bundled, each for a page of its own
    "test/**/*.test.{ts,tsx}",
    "playground/vite.config.ts",
    "playground/src/main.tsx",
    "examples/worker/{server,worker,withoutWaiting}.js",
    "test/examples/programs/*", // run as programs of their own, this and the next
    "test/examples/viteApp/main.tsx",
    "test/examples/sandboxApp/main.ts",
    "test/redis/programs/server.ts", // a process of its own
    "test/pages/page/main.tsx", // bundled by its tests
    "test/node/heap/mounts.tsx", // a process of its own
  ],
  project: ["{src,test,scripts,playground,bench,examples/worker}/**/*.{js,mjs,ts,tsx}"],
  paths: { "#createWorker": ["./src/action/sandbox/createWorkerNode.ts"], "#stream": ["./src/wire/streamNode.ts"], "#webSocket": ["./src/hub/webSocketNode.ts"] },
  ignoreDependencies: [
    "@arethetypeswrong/cli", // this and the next are run by name, in scripts/check.mjs
    "publint",
    "docs", // a document's code, see scripts/vitest/docBlocks.ts
    "@ai-sdk/react", // imported by a document's code
  ],
  ignore: ["bench/peers/subjects/*"], // their packages stand in the package.json beside them
  ignoreBinaries: ["apt-get"],
  ignoreExportsUsedInFile: true,
}
