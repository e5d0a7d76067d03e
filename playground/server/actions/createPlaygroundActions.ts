import { createActionHost, type ActionHost } from "../../../src/action/actionHost.ts"
import { createRegistry } from "../../src/actions/providers.ts"
import { isForeign } from "../isForeign.ts"

/** The actions' host, for pages of this server and for callers without a browser. */
export const createPlaygroundActions = (): ActionHost =>
  createActionHost({
    registry: createRegistry(),
    authorize: (request) =>
      isForeign(request) ? { status: "forbidden", message: "Pages of other origins are not let in." } : { status: "allowed", userId: "developer" },
  })
