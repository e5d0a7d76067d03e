/** @typedef {{ id: string, name: string, city: string }} Customer */
/** @typedef {{ id: string, customerId: string, item: string, euros: number, date: string }} Order */

/** @type {readonly Customer[]} */
const customers = [
  { id: "c1", name: "Ada Okafor", city: "Lagos" },
  { id: "c2", name: "Bruno Adam", city: "Lyon" },
  { id: "c3", name: "Chiyo Mori", city: "Kyoto" },
]

/** @type {readonly Order[]} Newest first. */
const orders = [
  { id: "o4", customerId: "c1", item: "Desk lamp", euros: 49, date: "2030-03-02" },
  { id: "o3", customerId: "c3", item: "Tea bowl", euros: 35, date: "2030-02-17" },
  { id: "o2", customerId: "c1", item: "Bookshelf", euros: 120, date: "2030-01-30" },
  { id: "o1", customerId: "c2", item: "Garden hose", euros: 22, date: "2029-11-05" },
]

/** Stands for a database: each function answers later, as one would. */
export const database = {
  /** @param {string} name a part of it, in any case */
  async findCustomers(name) {
    return customers.filter((customer) => customer.name.toLowerCase().includes(name.toLowerCase()))
  },

  /** @param {string} id */
  async hasCustomer(id) {
    return customers.some((customer) => customer.id === id)
  },

  /**
   * @param {string} customerId
   * @param {number} limit
   */
  async listOrders(customerId, limit) {
    return orders.filter((order) => order.customerId === customerId).slice(0, limit)
  },
}
