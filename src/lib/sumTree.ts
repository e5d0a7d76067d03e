/**
 * A sorted map that never changes: what changes it gives another one, which shares all but a path from its root with it. Every subtree knows its
 * sum, so that a count, a size or an earliest time of all values costs nothing to read.
 */

/** What is added up over the values. */
export interface Summing<Value, Sum> {
  readonly none: Sum
  of(value: Value): Sum
  plus(left: Sum, right: Sum): Sum
}

interface Node<Key, Value, Sum> {
  readonly key: Key
  readonly value: Value
  /** Chance keeps the tree balanced whatever the keys are: a parent's is above its children's (a treap; Seidel and Aragon, 1996). */
  readonly rank: number
  readonly left: Part<Key, Value, Sum>
  readonly right: Part<Key, Value, Sum>
  readonly sum: Sum
}

type Part<Key, Value, Sum> = Node<Key, Value, Sum> | undefined

export class SumTree<Key extends number | string, Value, Sum> {
  private readonly summing: Summing<Value, Sum>
  private readonly root: Part<Key, Value, Sum>

  /** @param summing - Kept by all trees that are made of this one. */
  constructor(summing: Summing<Value, Sum>, root?: Node<Key, Value, Sum>) {
    this.summing = summing
    this.root = root
  }

  get sum(): Sum {
    return this.root ? this.root.sum : this.summing.none
  }

  /** The highest key. */
  get lastKey(): Key | undefined {
    let last = this.root
    while (last?.right) last = last.right
    return last?.key
  }

  get(key: Key): Value | undefined {
    let part = this.root
    while (part && part.key !== key) part = key < part.key ? part.left : part.right
    return part?.value
  }

  with(key: Key, value: Value): SumTree<Key, Value, Sum> {
    return new SumTree(this.summing, this.put(this.root, key, value))
  }

  without(key: Key): SumTree<Key, Value, Sum> {
    const rest = this.take(this.root, key)
    return rest === this.root ? this : new SumTree(this.summing, rest)
  }

  /** In the order of keys. Parts whose sum is not wanted are passed over as a whole. */
  entries(isWanted: (sum: Sum) => boolean = () => true): Generator<readonly [Key, Value]> {
    return walk(this.root, isWanted)
  }

  /** In the order of keys: all that is not in the other one, and little more. What the two share is passed over as a whole. */
  entriesBeside(other: SumTree<Key, Value, Sum>): Generator<readonly [Key, Value]> {
    return walkBeside(this.root, other)
  }

  /** Whether this very node, and so all below it, is a part of this tree. */
  holds(node: Node<Key, Value, Sum>): boolean {
    let part = this.root
    while (part && part.key !== node.key) part = node.key < part.key ? part.left : part.right
    return part === node
  }

  private node(key: Key, value: Value, rank: number, left: Part<Key, Value, Sum>, right: Part<Key, Value, Sum>): Node<Key, Value, Sum> {
    const { of, plus } = this.summing
    let sum = of(value)
    if (left) sum = plus(left.sum, sum)
    if (right) sum = plus(sum, right.sum)
    return { key, value, rank, left, right, sum }
  }

  private withLeft({ key, value, rank, right }: Node<Key, Value, Sum>, left: Part<Key, Value, Sum>): Node<Key, Value, Sum> {
    return this.node(key, value, rank, left, right)
  }

  private withRight({ key, value, rank, left }: Node<Key, Value, Sum>, right: Part<Key, Value, Sum>): Node<Key, Value, Sum> {
    return this.node(key, value, rank, left, right)
  }

  private put(part: Part<Key, Value, Sum>, key: Key, value: Value): Node<Key, Value, Sum> {
    if (!part) return this.node(key, value, Math.random(), undefined, undefined)
    if (key === part.key) return this.node(key, value, part.rank, part.left, part.right)
    if (key < part.key) {
      const left = this.put(part.left, key, value)
      return left.rank > part.rank ? this.withRight(left, this.withLeft(part, left.right)) : this.withLeft(part, left)
    }
    const right = this.put(part.right, key, value)
    return right.rank > part.rank ? this.withLeft(right, this.withRight(part, right.left)) : this.withRight(part, right)
  }

  private take(part: Part<Key, Value, Sum>, key: Key): Part<Key, Value, Sum> {
    if (!part) return undefined
    if (key === part.key) return this.join(part.left, part.right)
    if (key < part.key) {
      const left = this.take(part.left, key)
      return left === part.left ? part : this.withLeft(part, left)
    }
    const right = this.take(part.right, key)
    return right === part.right ? part : this.withRight(part, right)
  }

  private join(left: Part<Key, Value, Sum>, right: Part<Key, Value, Sum>): Part<Key, Value, Sum> {
    if (!left) return right
    if (!right) return left
    return left.rank > right.rank ? this.withRight(left, this.join(left.right, right)) : this.withLeft(right, this.join(left, right.left))
  }
}

function* walk<Key, Value, Sum>(part: Part<Key, Value, Sum>, isWanted: (sum: Sum) => boolean): Generator<readonly [Key, Value]> {
  if (!part || !isWanted(part.sum)) return
  yield* walk(part.left, isWanted)
  yield [part.key, part.value]
  yield* walk(part.right, isWanted)
}

function* walkBeside<Key extends number | string, Value, Sum>(part: Part<Key, Value, Sum>, other: SumTree<Key, Value, Sum>): Generator<readonly [Key, Value]> {
  if (!part || other.holds(part)) return
  yield* walkBeside(part.left, other)
  yield [part.key, part.value]
  yield* walkBeside(part.right, other)
}
