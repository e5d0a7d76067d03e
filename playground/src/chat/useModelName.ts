import { useEffect, useState } from "react"
import { requestJson } from "../session/requestJson.ts"

/** Who answers in the chat: `scripted`, or a provider's model. Undefined until the back end has told. */
export function useModelName(): string | undefined {
  const [name, setName] = useState<string>()
  useEffect(() => {
    const controller = new AbortController()
    requestJson<{ readonly model: string }>("/playground/chat", { signal: controller.signal }).then(
      ({ model }) => setName(model),
      // Not known is not said; what is wrong with the back end is told by the session.
      () => {},
    )
    return () => controller.abort()
  }, [])
  return name
}
