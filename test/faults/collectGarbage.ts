import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** Collects what nothing holds any more, without a flag on the command line. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc")
  const gc = runInNewContext("gc") as () => void
  gc()
  gc()
}
