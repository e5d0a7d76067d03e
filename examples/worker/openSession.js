import { createSessionClient } from "react-tool-client/client"

/** Opens the session that the environment names. */
export function openSession() {
  const { SERVER_URL, SESSION_ID, SESSION_TOKEN } = process.env
  if (!SERVER_URL || !SESSION_ID || !SESSION_TOKEN) {
    throw new Error("Set SERVER_URL, SESSION_ID and SESSION_TOKEN: server.js prints a command that does.")
  }
  return createSessionClient({ baseUrl: SERVER_URL, getToken: () => SESSION_TOKEN }).open(SESSION_ID)
}
