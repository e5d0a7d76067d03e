import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"
import { sourceAliases } from "../scripts/lib/entries.mjs"

// The stories import the package by its own name, and get its sources.
export default defineConfig({
  plugins: [react()],
  resolve: { alias: sourceAliases("default") },
  build: { chunkSizeWarningLimit: 2_000 },
})
