import type { JsonValue } from "../tool/toolSpec.ts"

/** A typed artifact of a conversation: a JSON object that says its `type`. */
export interface ToolItem {
  readonly type: string
  readonly [key: string]: JsonValue
}

/** A tool's access to the conversation's items, wherever they are kept. */
export interface ToolItems {
  /** The newest item of this type. */
  latest(type: string): ToolItem | undefined
  /** Adds an item. @throws TypeError for what is no JSON object with a `type` */
  emit(item: ToolItem): void
  /** The items of this type, or all, the oldest first. */
  list(type?: string): readonly ToolItem[]
}

/** Items over a plain list. */
export interface ItemStore extends ToolItems {
  /** What was emitted since the store was made, the oldest first. */
  emitted(): readonly ToolItem[]
}

/** A copy that only JSON went into, frozen all the way down: an item that was emitted is history. */
export function itemOf(value: unknown): ToolItem {
  const text = JSON.stringify(value) as string | undefined
  // What JSON makes of it is what is looked at: a `toJSON` may give anything.
  const item: unknown = text === undefined ? undefined : JSON.parse(text, (_key, part: unknown) => Object.freeze(part))
  const { type } = (item ?? {}) as { type?: unknown }
  if (typeof item !== "object" || Array.isArray(item) || typeof type !== "string" || type === "") {
    throw new TypeError("An item is a JSON object with a `type`, a non-empty string.")
  }
  return item as ToolItem
}

/** Keeps items in memory: what a transport and tests use. @throws TypeError for what is no list of items */
export function createItemStore(items: readonly ToolItem[] = []): ItemStore {
  if (!Array.isArray(items)) throw new TypeError(`createItemStore needs a list of items, or none, not ${items === null ? "null" : typeof items}.`)
  const before = items.map(itemOf)
  const emitted: ToolItem[] = []
  const all = (): readonly ToolItem[] => [...before, ...emitted]
  return {
    latest: (type) => all().findLast((item) => item.type === type),
    emit(item) {
      emitted.push(itemOf(item))
    },
    list: (type) => all().filter((item) => type === undefined || item.type === type),
    emitted: () => [...emitted],
  }
}
