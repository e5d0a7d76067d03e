import type { AnyTool } from "../tool/tool.ts"
import type { ToolSource } from "./declaration.ts"

/** How many were made: a parent is rendered before its children. */
let made = 0

/** The place of what is being made among all that is. */
export const nextPlace = (): number => ++made

/** How many turns have mounted something. Only the order counts, which must hold across all clients that a source moves between. */
let turns = 0
let isInTurn = false

/** React runs the effects of one commit in one go, and microtasks come after them: what is mounted by one commit is of one turn. */
function thisTurn(): number {
  if (!isInTurn) {
    isInTurn = true
    turns++
    queueMicrotask(() => {
      isInTurn = false
    })
  }
  return turns
}

/** Turns stand above places. A double holds both exactly for two million turns; after that the places of one turn are only rounded. */
const PLACES = 2 ** 32

/**
 * An owner of tools. Its rank is given when it is first asked for, so that the last one mounted is the highest, and of those that one commit mounts the
 * one made last: a child before its parent, however late its code was loaded. Not when it is made: a render may be thrown away, or be committed after others.
 *
 * @param place - `@default` the next
 * @param committed - See `ToolSource`.
 */
export function createToolSource(current: () => AnyTool, place = nextPlace(), committed?: ToolSource["committed"]): ToolSource {
  let rank = 0
  return {
    get rank() {
      return (rank ||= thisTurn() * PLACES + place)
    },
    committed,
    current,
  }
}
