import { useVirtualizer } from "@tanstack/react-virtual"
import { type JSX, type KeyboardEvent, type ReactNode, type UIEvent, useEffect, useId, useRef, useState } from "react"

export interface VirtualListProps<Item, Frame = undefined> {
  /** What a screen reader calls the list. */
  readonly label: string
  readonly items: readonly Item[]
  keyOf(item: Item): string
  readonly rowHeight: number
  readonly selected: string | undefined
  onSelect(key: string): void
  /** Enter on the selected row. */
  onOpen?(): void
  /** Keeps the newest in sight for as long as the person has not scrolled away from it. */
  readonly isFollowing?: boolean
  onFollow?(isFollowing: boolean): void
  /** What the rows in sight have in common, made anew in the same render as they. */
  frame?(inSight: readonly Item[]): Frame
  /** Stands above the rows. */
  head?(frame: Frame): ReactNode
  row(item: Item, frame: Frame): ReactNode
  /** Says what is there when nothing is. */
  readonly empty: ReactNode
}

/** Rows drawn beyond those that can be seen. */
const OVERSCAN = 8

/** This near to its end, in pixels, a list counts as scrolled to it. */
const END_MARGIN_PX = 12

/** A list box of any length, of which only the rows in sight are drawn. Arrows, Home, End and Page keys move the selection. */
export function VirtualList<Item, Frame = undefined>(props: VirtualListProps<Item, Frame>): JSX.Element {
  const { label, items, keyOf, rowHeight, selected, onSelect, onOpen, isFollowing = false, onFollow, row, empty } = props
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const [pageSize, setPageSize] = useState(10)
  // eslint-disable-next-line react-hooks/incompatible-library -- its functions are new at each render, and nothing here is memoised by them
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    initialRect: { width: 600, height: 300 },
  })
  const rows = virtualizer.getVirtualItems()
  const { startIndex = 0, endIndex = 0 } = virtualizer.range ?? {}
  const frame = props.frame?.(items.slice(startIndex, endIndex + 1)) as Frame

  useEffect(() => {
    if (isFollowing && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [isFollowing, items.length])

  const index = items.findIndex((item) => keyOf(item) === selected)

  function moveTo(next: number): void {
    const to = Math.min(items.length - 1, Math.max(0, next))
    const item = items[to]
    if (item === undefined) return
    onSelect(keyOf(item))
    virtualizer.scrollToIndex(to)
    if (to < items.length - 1) onFollow?.(false)
  }

  function onKeyDown(event: KeyboardEvent): void {
    const from = index < 0 ? items.length : index
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: index < 0 ? items.length - 1 : from + 1,
      ArrowUp: from - 1,
      Home: 0,
      End: items.length - 1,
      PageDown: from + pageSize,
      PageUp: from - pageSize,
    }
    const to = moves[event.key]
    if (to !== undefined) moveTo(to)
    else if (event.key === "Enter") onOpen?.()
    else return
    event.preventDefault()
  }

  function onScroll({ currentTarget: { scrollTop, scrollHeight, clientHeight } }: UIEvent<HTMLDivElement>): void {
    setPageSize(Math.max(1, Math.floor(clientHeight / rowHeight) - 1))
    const isAtEnd = scrollHeight - scrollTop - clientHeight <= END_MARGIN_PX
    if (isAtEnd !== isFollowing) onFollow?.(isAtEnd)
  }

  if (items.length === 0) return <div className="empty">{empty}</div>
  const active = rows.find((shown) => shown.index === index)
  return (
    <>
      {props.head?.(frame)}
      <div
        ref={box}
        className="list"
        role="listbox"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={active ? `${id}${active.index}` : undefined}
        onKeyDown={onKeyDown}
        onScroll={onScroll}
      >
        <div role="presentation" style={{ height: virtualizer.getTotalSize(), position: "relative" }}>
          {rows.map((shown) => {
            const item = items[shown.index]
            if (item === undefined) return null
            const key = keyOf(item)
            return (
              <div
                key={key}
                id={`${id}${shown.index}`}
                className="list-row"
                role="option"
                aria-selected={key === selected}
                aria-posinset={shown.index + 1}
                aria-setsize={items.length}
                style={{ height: rowHeight, transform: `translateY(${shown.start}px)` }}
                onClick={() => onSelect(key)}
              >
                {row(item, frame)}
              </div>
            )
          })}
        </div>
      </div>
    </>
  )
}
