// Serves until it is told to stop.
import { client, session } from "./openClient.js"

const hold = setInterval(() => {}, 60_000)
let calls = 0
client.addTool("count", {
  description: "Counts its calls.",
  parameters: { type: "object" },
  execute: () => `call ${++calls}`,
})
session.subscribe(({ status }) => console.log(status))
process.once("SIGTERM", () => {
  clearInterval(hold)
  void session.close()
})
await client.ready
console.log("ready")
