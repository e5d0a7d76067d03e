import { QueryClientProvider, useQuery } from "@tanstack/react-query"
import { manifestQueryOptions } from "react-tool-client/query"
import { createActionClient } from "react-tool-client/tools"
import { Fact } from "../layout/Fact.tsx"
import layout from "../layout/layout.module.css"
import { PageBar } from "../layout/PageBar.tsx"
import { Trouble } from "../layout/Trouble.tsx"
import { queryClient } from "../query/queryClient.ts"
import { ActionBench } from "./ActionBench.tsx"
import { createInProcessClient } from "./inProcessClient.ts"
import { createRegistry } from "./providers.ts"

const here = createInProcessClient(createRegistry())
const there = createActionClient({ baseUrl: location.origin })

/** A provider's actions, called in two ways by one hook. */
function Actions() {
  const { data: manifest, error, refetch, isFetching } = useQuery(manifestQueryOptions(there))
  return (
    <>
      <PageBar
        title="Actions"
        lead="One call, made in this page and across HTTP: who calls cannot tell which is which."
        facts={
          <>
            <Fact label="Host">
              <code>/api/client</code>
            </Fact>
            <Fact label="Actions" testId="action-count">
              {manifest ? manifest.providers.flatMap(({ actions }) => actions).length : "asking"}
            </Fact>
          </>
        }
        trouble={error && <Trouble message={`The host cannot be asked: ${error.message}`} action="Ask again" onAction={() => void refetch()} />}
      />
      {manifest && <ActionBench manifest={manifest} here={here} there={there} />}
      {!manifest && isFetching && <p className={layout.loading}>Asking the host</p>}
    </>
  )
}

const ActionsPage = () => (
  <QueryClientProvider client={queryClient}>
    <Actions />
  </QueryClientProvider>
)

export default ActionsPage
