import { type RefCallback, useCallback, useState } from "react"

/** The width of an element in pixels, as it changes; `fallback` until it is known. */
export function useWidth(fallback: number): readonly [width: number, ref: RefCallback<HTMLElement>] {
  const [width, setWidth] = useState(fallback)
  const [observer] = useState(() =>
    typeof ResizeObserver === "function" ? new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width || fallback)) : undefined,
  )
  const ref = useCallback(
    (element: HTMLElement | null) => {
      observer?.disconnect()
      if (element) observer?.observe(element)
    },
    [observer],
  )
  return [width, ref]
}
