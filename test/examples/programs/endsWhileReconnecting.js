// Has nothing to do from the moment in which its stream is lost.
import { client, session } from "./openClient.js"

const hold = setInterval(() => {}, 60_000)
session.subscribe(({ status }) => {
  if (status === "reconnecting") clearInterval(hold)
})
await client.ready
console.log("ready")
