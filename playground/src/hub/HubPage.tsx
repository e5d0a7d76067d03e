import { QueryClientProvider } from "@tanstack/react-query"
import { HubProvider } from "react-tool-client/hub/react"
import { queryClient } from "../query/queryClient.ts"
import { HubRemotes } from "./HubRemotes.tsx"
import { pageHub } from "./pageHub.ts"

export interface HubPageProps {
  /** The remote's name that the address asks for. */
  readonly remoteParam: string | null
}

/** Remotes over the dev server's hub. */
const HubPage = ({ remoteParam }: HubPageProps) => (
  <QueryClientProvider client={queryClient}>
    <HubProvider hub={pageHub}>
      <HubRemotes remoteParam={remoteParam} />
    </HubProvider>
  </QueryClientProvider>
)

export default HubPage
