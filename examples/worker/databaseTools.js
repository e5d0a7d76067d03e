import { z } from "zod"
import { database } from "./database.js"

/**
 * Offers the database to the agent.
 *
 * @param {import("react-tool-client/client").ToolClient} client
 */
export function addDatabaseTools(client) {
  client.addTool("find_customer", {
    description: "Find customers by a part of their name. Answers with id, name and city of each.",
    schema: z.object({ name: z.string().min(1) }),
    execute: ({ name }) => database.findCustomers(name),
  })

  client.addTool("list_orders", {
    description: "List a customer's orders, newest first.",
    schema: z.object({
      customer_id: z.string().describe("As find_customer gives it"),
      limit: z.int().min(1).max(50).default(10),
    }),
    async execute({ customer_id, limit }) {
      if (await database.hasCustomer(customer_id)) return database.listOrders(customer_id, limit)
      return { text: `No customer has the id "${customer_id}". Use find_customer.`, is_error: true }
    },
  })
}
