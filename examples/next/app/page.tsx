import { sessionServer } from "./session-server"
import { ShoppingList } from "./shopping-list"

/** Each visit is a session of its own. */
export const dynamic = "force-dynamic"

export default async function Page() {
  const { id } = await sessionServer().createSession()

  // Next encrypts what an inline server function closes over, so a page gets tokens of its own session only.
  async function getToken() {
    "use server"
    const { token } = await sessionServer().createToken(id)
    return token
  }

  return (
    <main>
      <h1>Shopping list</h1>
      <ShoppingList sessionId={id} getToken={getToken} />
    </main>
  )
}
