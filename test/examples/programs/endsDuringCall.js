// Has nothing to do from the moment in which a call arrives: only the call keeps it up.
import { client } from "./openClient.js"

const hold = setInterval(() => {}, 60_000)
client.addTool("slow", {
  description: "Takes its time.",
  parameters: { type: "object" },
  async execute() {
    clearInterval(hold)
    await new Promise((resolve) => setTimeout(resolve, 300).unref())
    return "done"
  },
})
await client.ready
console.log("ready")
