// `npm start`: the playground's dev server, on a fresh clone too. Arguments go on to Vite: `npm start -- --port 4000`.
import { ensureDependencies } from "./lib/setup.mjs"

ensureDependencies()
process.argv.splice(2, 0, "playground")
await import(new URL("../node_modules/vite/bin/vite.js", import.meta.url).href)
