import { QueryClient } from "@tanstack/react-query"

/** What the hub and the action host know, for all pages. */
export const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } })
