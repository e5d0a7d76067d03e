// Offers the same database and comes to its last line. Nothing keeps Node running then, so the program ends, although its
// client still serves: at the server it stays, and calls to it are answered by nobody.
import { addDatabaseTools } from "./databaseTools.js"
import { openSession } from "./openSession.js"

const client = openSession().createToolClient("database", { lifetime: { type: "never" } })
addDatabaseTools(client)
await client.ready
console.log(`Serving as ${client.state.name}, with nothing left to do.`)
