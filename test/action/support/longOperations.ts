/** One call each into a built-in function of the language that does not come back in any time, and within which QuickJS never looks at the clock. */
export const LONG_OPERATIONS: readonly (readonly [what: string, code: string])[] = [
  ["a search through an object that says it is endless", "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)"],
  ["a pattern that backtracks for ever", '/^(a+)+$/.test("a".repeat(40) + "b")'],
  ["a text of a quarter of a gigabyte, split", '"x".repeat(2 ** 28).split("")'],
  ["a sort of many numbers", "const all = Array.from({ length: 2 ** 17 }, (_, i) => (i * 7919) % 1000003); for (;;) all.sort()"],
  ["the JSON of a large thing", 'const one = "x".repeat(2 ** 20); JSON.stringify(Array(2 ** 12).fill(Array(2 ** 8).fill([one])))'],
  ["powers of BigInts, and their digits", "const x = 3n ** 300000n; for (;;) (x * x % (x - 1n)).toString()"],
  ["a text joined of very many holes", "[].join.call({ length: 2 ** 53 - 1 }, '')"],
  ["a search after it has called and waited", "await none(); Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)"],
  ["a search in what it left to run after its end", "Promise.resolve().then(() => Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)); await 1; 1"],
]
