import { useState } from "react"
import { useSessionState, useToolClient, useToolClientState } from "react-tool-client"
import { RemoteError } from "react-tool-client/hub"
import { useHub, useLocalRemote } from "react-tool-client/hub/react"
import { useRemotes } from "react-tool-client/query"
import { CallList } from "../calls/CallList.tsx"
import { Columns } from "../layout/Columns.tsx"
import layout from "../layout/layout.module.css"
import { HubBar } from "./HubBar.tsx"
import { nextName } from "./nextName.ts"
import { NotesCard } from "./NotesCard.tsx"
import { PromptCard } from "./PromptCard.tsx"
import { remoteGroups } from "./remoteGroups.ts"
import { RemotesCard } from "./RemotesCard.tsx"
import { WeatherCard } from "./WeatherCard.tsx"

const REMOTE_NAME = "weather-service"

/** That another tab has the name is shown where the name stands. */
function reportUnlessTaken(error: unknown): void {
  if (!(error instanceof RemoteError && error.code === "already_connected")) console.error(error)
}

/** What the page serves and what it can call, beside the agent that uses both. */
export function HubRemotes({ remoteParam }: { readonly remoteParam: string | null }) {
  const hub = useHub()
  const state = useSessionState(hub)
  // The address names it at first; `null` while it is not served.
  const [served, setServed] = useState<string | null>(remoteParam ?? REMOTE_NAME)
  const [lastName, setLastName] = useState(served ?? REMOTE_NAME)
  const weather = useToolClient(served === null ? null : hub, lastName, { onError: reportUnlessTaken })
  const notes = useLocalRemote("notes")
  const { status } = useToolClientState(weather)
  const { data, error } = useRemotes(hub)

  const remotes = data && remoteGroups(data)
  const ofHub = remotes?.filter(({ isLocal }) => !isLocal) ?? []
  const isListed = ofHub.some(({ remotename }) => remotename === lastName)
  const isServing = served !== null

  function serve(remotename: string | null): void {
    setServed(remotename)
    if (remotename !== null) setLastName(remotename)
  }

  return (
    <>
      <HubBar state={state} otherName={nextName(lastName)} />
      <Columns
        mainTitle="Remotes"
        mainLabel="Remotes"
        main={
          <>
            <div className={layout.wide}>
              <RemotesCard remotes={remotes} error={error} ownName={isServing && status === "serving" ? lastName : undefined} />
            </div>
            <WeatherCard
              client={weather}
              remotename={lastName}
              isServing={isServing}
              isTaken={isServing && isListed && (status === "joining" || status === "failed")}
              onServe={serve}
            />
            <NotesCard client={notes} />
          </>
        }
        asideId="hub-agent"
        asideTitle="Agent"
        asideLabel="The agent"
        aside={
          <>
            <PromptCard remotes={ofHub} />
            <CallList client={weather} />
          </>
        }
      />
    </>
  )
}
