import react from "@vitejs/plugin-react"
import { storybookTest } from "@storybook/addon-vitest/vitest-plugin"
import { playwright } from "@vitest/browser-playwright"
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from "vitest/config"
import { react18Aliases } from "./compat/react18/project.ts"
import { CHROMIUM_ARGS, findChromium } from "./scripts/lib/chromium.mjs"
import { sourceAliases } from "./scripts/lib/entries.mjs"
import { CountReporter } from "./scripts/vitest/countReporter.ts"
import { docBlocks } from "./scripts/vitest/docBlocks.ts"
import { reactCompiler } from "./scripts/vitest/reactCompiler.ts"

/** Folders of src whose tests need a DOM; the tests of all others run on Node. */
const DOM_TESTS = ["src/{react,testing,hubReact,query,webmcp,devtools}/**/*.test.{ts,tsx}"]

/** What runs under every React and compiler: the React tests, and the one that checks which React that is. */
const REACT_TESTS = ["src/{react,hubReact,query}/**/*.test.{ts,tsx}", "test/react/**/*.test.{ts,tsx}"]

const SOAK = "test/faults/soak.test.ts"

/** Files that load React DOM only after something of their own: each in a process of its own. */
const ALONE = ["test/react/{fastRefresh,faultRows}.test.tsx"]

/** How long a test asks again and again for what it expects, in milliseconds. */
const POLL_TIMEOUT_MS = 10_000

/** Of projects that compute: each file has a process of its own, since what one left behind has changed what another saw, and is patient. */
const patient = { setupFiles: [`${import.meta.dirname}/scripts/vitest/patience.ts`], expect: { poll: { timeout: POLL_TIMEOUT_MS } } }

/** How long a test that computes may take beside others on a busy machine, in milliseconds. */
const COMPUTING_TIMEOUT_MS = 20_000

/** A project of the React tests, and one more for those of its files that are alone. Made anew for each: a plugin knows its server. */
function reactProjects(make: () => TestProjectInlineConfiguration & { test: { name: string } }) {
  const [most, alone] = [make(), make()]
  Object.assign(most.test, { ...patient, exclude: [...configDefaults.exclude, ...ALONE], testTimeout: COMPUTING_TIMEOUT_MS })
  Object.assign(alone.test, { name: `${alone.test.name}-alone`, include: ALONE })
  return [most, alone]
}

/** A bare import that the browser tests use for the first time belongs here: found late, it brings a second React. */
const optimizeDeps = {
  include: [
    "@tanstack/react-query",
    "@tanstack/react-virtual",
    "@testing-library/react",
    "@testing-library/user-event",
    "@jitl/quickjs-wasmfile-release-sync/emscripten-module",
    "@jitl/quickjs-wasmfile-release-sync/ffi",
    "eventsource-parser",
    "quickjs-emscripten-core",
    "react",
    "react-dom",
    "react-dom/client",
    "react/jsx-dev-runtime",
    "react/jsx-runtime",
    "use-sync-external-store/with-selector",
    "zod",
  ],
}

/** A new object for each project: vitest writes the project's name into it. */
function chromium(...flags: readonly string[]) {
  const executablePath = findChromium()
  return {
    enabled: true,
    headless: true,
    screenshotFailures: false,
    provider: playwright({
      launchOptions: { args: [...CHROMIUM_ARGS, ...flags], ...(executablePath !== undefined && { executablePath }) },
    }),
    instances: [{ browser: "chromium" as const }],
  }
}

const inBrowser = { alias: sourceAliases("default") }
/** A worker on Node has no test runner that would read its TypeScript. */
const workersOfSource = { find: /^#createWorker$/, replacement: `${import.meta.dirname}/scripts/vitest/workerOfSource.ts` }
const onNode = { alias: [workersOfSource, ...sourceAliases("node")] }

/**
 * `npm run check` runs these parts beside each other, so that what waits (for a browser, a child process, a fault to pass) leaves the
 * processor to what computes. A project that is in no list computes.
 */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  types: ["types"],
  waiting: ["e2e", "pages", "examples", "soak"],
}
const part = process.env["TEST_PART"]
const partOf = (name: string): string => Object.keys(PARTS).find((key) => PARTS[key]?.includes(name)) ?? "computing"
const isInPart = ({ test }: { readonly test: { readonly name: string } }): boolean => part === undefined || partOf(test.name) === part

export default defineConfig({
  test: {
    reporters: ["default", new CountReporter()],
    projects: [
      ...reactProjects(() => ({
        plugins: [react()],
        resolve: inBrowser,
        test: {
          name: "unit",
          environment: "jsdom",
          include: [...DOM_TESTS, ...REACT_TESTS],
          env: { EXPECTED_REACT: "19" },
        },
      })),
      ...reactProjects(() => ({
        plugins: [reactCompiler()],
        resolve: inBrowser,
        test: {
          name: "compiler",
          environment: "jsdom",
          include: REACT_TESTS,
          env: { EXPECTED_REACT: "19", REACT_COMPILER: "1" },
        },
      })),
      ...reactProjects(() => ({
        plugins: [react()],
        resolve: { alias: [...react18Aliases, ...sourceAliases("default")] },
        test: {
          name: "react18",
          environment: "jsdom",
          include: REACT_TESTS,
          env: { EXPECTED_REACT: "18" },
          // So that its React is this project's, too.
          server: { deps: { inline: ["@tanstack/react-query"] } },
        },
      })),
      {
        resolve: onNode,
        test: {
          name: "node",
          environment: "node",
          ...patient,
          testTimeout: COMPUTING_TIMEOUT_MS,
          include: ["src/**/*.test.ts", "test/{action,interop,node,server,hub,port-contract}/**/*.test.ts"],
          exclude: ["**/node_modules/**", ...DOM_TESTS],
        },
      },
      {
        // The code of README and docs: type-checked, and what README shows also run.
        plugins: [docBlocks(), react()],
        resolve: onNode,
        test: { name: "docs", environment: "node", ...patient, include: ["test/docs/**/*.test.{ts,tsx}"], testTimeout: COMPUTING_TIMEOUT_MS },
      },
      {
        // Real Redis servers, and server processes of their own, which are killed in the middle of calls.
        resolve: onNode,
        test: { name: "redis", environment: "node", include: ["test/{store,redis}/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 30_000 },
      },
      {
        // What rests on the server itself, on Valkey.
        resolve: onNode,
        test: {
          name: "valkey",
          environment: "node",
          include: ["test/store/redisStore.test.ts", "test/redis/{lostWrites,processes}.test.ts"],
          env: { REDIS_TESTS_ON: "valkey" },
          testTimeout: 60_000,
          hookTimeout: 30_000,
        },
      },
      {
        // A real client and a real server on loopback, with faults between them.
        resolve: onNode,
        test: { name: "faults", environment: "node", include: ["test/faults/**/*.test.ts"], exclude: [...configDefaults.exclude, SOAK], testTimeout: 30_000 },
      },
      {
        // The same in a process of its own, for a minute, with faults by chance.
        resolve: onNode,
        test: { name: "soak", environment: "node", include: [SOAK] },
      },
      {
        resolve: onNode,
        test: {
          name: "types",
          include: [],
          typecheck: { enabled: true, only: true, include: ["src/**/*.test-d.{ts,tsx}"], tsconfig: "tsconfig.json" },
        },
      },
      {
        plugins: [react()],
        optimizeDeps,
        resolve: inBrowser,
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.{ts,tsx}"],
          globalSetup: "test/browser/support/loopback.ts",
          browser: chromium(),
        },
      },
      {
        // Each story's play function, and its accessibility.
        plugins: [storybookTest({ configDir: ".storybook" })],
        optimizeDeps: { include: [...optimizeDeps.include, "storybook/theming"] },
        resolve: inBrowser,
        test: { name: "stories", browser: chromium() },
      },
      {
        // A browser that has an agent of its own, which it shows to pages only when told to.
        plugins: [react(), docBlocks()],
        // A document's block is no file that a scan for dependencies could read.
        optimizeDeps: { ...optimizeDeps, noDiscovery: true },
        resolve: inBrowser,
        test: { name: "webmcp", include: ["test/webmcp/**/*.test.{ts,tsx}"], browser: chromium("--enable-features=WebMCP") },
      },
      {
        // Drives a browser from Node: the playground's page, several tabs, several origins.
        resolve: onNode,
        test: {
          name: "e2e",
          environment: "node",
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: "test/e2e/support/setup.ts",
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        // Drives a browser from Node: what becomes of a page's tools when it is hidden, frozen, put away, reloaded, cut off.
        resolve: onNode,
        test: {
          name: "pages",
          environment: "node",
          include: ["test/pages/**/*.test.ts"],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        // The examples, and the packed library as projects that installed it use it: as child processes, built, in a browser.
        resolve: onNode,
        test: {
          name: "examples",
          environment: "node",
          include: ["test/examples/**/*.test.ts"],
          globalSetup: "test/examples/support/setup.ts",
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ].filter(isInPart),
  },
})
