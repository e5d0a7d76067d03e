import { useMemo, useState } from "react"
import { createItemStore, type ToolItem, type ToolItems } from "react-tool-client/tools"

export interface ItemsHandle {
  /** For those who call. */
  readonly items: ToolItems
  /** The oldest first. */
  readonly list: readonly ToolItem[]
}

/** The items of one conversation, shown as they are emitted. */
export function useItems(): ItemsHandle {
  const [list, setList] = useState<readonly ToolItem[]>([])
  const items = useMemo<ToolItems>(() => {
    const store = createItemStore()
    return {
      ...store,
      emit(item) {
        store.emit(item)
        setList(store.list())
      },
    }
  }, [])
  return { items, list }
}
