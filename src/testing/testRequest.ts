/** One request that a tool client sent, in the order they came. */
export type TestRequest =
  | { readonly type: "register"; readonly client: string; readonly tools: readonly string[] }
  | { readonly type: "update"; readonly client: string; readonly tools: readonly string[] }
  | { readonly type: "ping"; readonly client: string; readonly word?: "leaving" | "suspended" }
  | { readonly type: "ack" | "answer"; readonly client: string; readonly callId: string }
  | { readonly type: "delete"; readonly client: string }
