import { SessionProvider } from "react-tool-client"

/** A server component that renders the library's own component: nothing but the library itself says `"use client"`. */
export default function Page() {
  return (
    <SessionProvider client={null}>
      <p>Rendered by a server component</p>
    </SessionProvider>
  )
}
