import { join } from "node:path"

/** @type {import("next").NextConfig} */
export default {
  // Only because the library is linked from the folder above (`file:../..`): Next looks at no file outside of its root.
  turbopack: { root: join(import.meta.dirname, "../..") },
}
