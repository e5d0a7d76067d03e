import { sessionServer } from "../../session-server"

/** The whole session protocol, for the page and for the agent. */
const handle = (request: Request): Promise<Response> => sessionServer().fetch(request)

export { handle as DELETE, handle as GET, handle as OPTIONS, handle as POST, handle as PUT }
