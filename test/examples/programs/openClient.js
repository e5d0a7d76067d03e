import { createSessionClient } from "react-tool-client/client"

const { SERVER_URL = "", SESSION_ID = "", SESSION_TOKEN = "" } = process.env

export const session = createSessionClient({ baseUrl: SERVER_URL, getToken: () => SESSION_TOKEN }).open(SESSION_ID, { onError() {} })

export const client = session.createToolClient("job", { onError() {} })
