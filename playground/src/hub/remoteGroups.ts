import type { ListedFunction } from "react-tool-client/hub"

/** One remote with its functions. */
export interface RemoteGroup {
  readonly remotename: string
  readonly isLocal: boolean
  readonly functions: readonly ListedFunction[]
}

/** Pure: the list of functions by their remotes, in the order of the list. */
export function remoteGroups(functions: readonly ListedFunction[]): readonly RemoteGroup[] {
  const groups = new Map<string, RemoteGroup>()
  for (const one of functions) {
    const { remotename = "", isLocal } = one
    const key = `${isLocal} ${remotename}`
    groups.set(key, { remotename, isLocal, functions: [...(groups.get(key)?.functions ?? []), one] })
  }
  return [...groups.values()]
}
