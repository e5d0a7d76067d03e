// Offers a database to a session, answers one call and ends.
import { addDatabaseTools } from "./databaseTools.js"
import { openSession } from "./openSession.js"

const session = openSession()
// Without a ttl nothing but this program ends the client, so it must: see `finally`.
const client = session.createToolClient("database", { lifetime: { type: "never" } })
addDatabaseTools(client)
await client.ready

try {
  const answered = firstAnsweredCall()
  console.log(`Serving as ${client.state.name}, waiting for a call.`)
  const call = await answered
  console.log(call ? `Answered ${call.tool}: ${call.answer.text}` : "Stopped before a call came.")
} finally {
  await session.deleteToolClient(client)
}

/**
 * Resolves with the first call whose answer the server has taken, or with undefined when the program is told to stop.
 * A client that serves does not keep Node running, so the wait does.
 *
 * @returns {Promise<import("react-tool-client/client").CallRecord & { phase: "answered" } | undefined>}
 */
async function firstAnsweredCall() {
  const hold = setInterval(() => {}, 60_000)
  try {
    return await new Promise((resolve, reject) => {
      process.once("SIGINT", () => resolve(undefined))
      process.once("SIGTERM", () => resolve(undefined))
      client.subscribe(({ status, error, calls }) => {
        if (status === "failed") reject(error)
        const answered = calls.find(({ phase }) => phase === "answered")
        if (answered?.phase === "answered") resolve(answered)
      })
    })
  } finally {
    clearInterval(hold)
  }
}
