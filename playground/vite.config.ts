import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"
import { sourceAliases } from "../scripts/lib/entries.mjs"
import { playgroundServer } from "./server/playgroundServer.ts"

export default defineConfig({
  plugins: [react(), playgroundServer()],
  resolve: { alias: sourceAliases("default") },
  // Vite would let every page of this machine in; who may use the session server is that server's own business.
  server: { cors: false },
  preview: { cors: false },
  optimizeDeps: {
    // Known from the start: one that is found late reloads the page.
    include: [
      "@tanstack/react-query",
      "@tanstack/react-virtual",
      "ai",
      "eventsource-parser",
      "react",
      "react-dom",
      "react-dom/client",
      "react/jsx-dev-runtime",
      "react/jsx-runtime",
      "use-sync-external-store/with-selector",
      "zod",
    ],
  },
})
