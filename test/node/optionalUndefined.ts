// Which optional properties of what users give take no `undefined`: with `exactOptionalPropertyTypes` on in their project, `{ apiKey: process.env.KEY }`
// would then be an error. Read from the entries' types; the test is beside it, in optionalUndefined.test.ts.
import ts from "typescript"

/** Whether users give it to us, or get it from us: a parameter of what they get is theirs to give, and so on. */
type Direction = "given" | "got"

const flip = (direction: Direction): Direction => (direction === "given" ? "got" : "given")

/** TypeScript's own name for what an optional property holds when it is not there, apart from an `undefined` that was written. */
const isMissing = (type: ts.Type): boolean => "debugIntrinsicName" in type && type.debugIntrinsicName === "missing"

const partsOf = (type: ts.Type): readonly ts.Type[] => (type.isUnionOrIntersection() ? type.types.flatMap(partsOf) : [type])

const takesUndefined = (type: ts.Type): boolean =>
  partsOf(type).some((part) => (part.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0 || ((part.flags & ts.TypeFlags.Undefined) !== 0 && !isMissing(part)))

/**
 * The optional properties without `undefined` in all that the files export, as `Interface.property`.
 *
 * @param isOurs - Whether a file's types are looked into: those of packages are not.
 * @param handles - Names of types that only we make: given back to us, they are what they were.
 */
export function strictOptionals(program: ts.Program, files: readonly string[], isOurs: (path: string) => boolean, handles: readonly string[] = []): string[] {
  const checker = program.getTypeChecker()
  const found = new Set<string>()
  const seen: Readonly<Record<Direction, Set<ts.Type>>> = { given: new Set(), got: new Set() }

  const nameOf = (type: ts.Type, property: ts.Symbol): string => {
    const owner = type.aliasSymbol ?? (property as ts.Symbol & { readonly parent?: ts.Symbol }).parent ?? type.symbol
    const declaration = property.declarations?.[0]
    const place = declaration ? declaration.getSourceFile().fileName.replace(/^.*\/src\//, "src/") : "?"
    return `${place}: ${owner?.name}.${property.name}`
  }

  function visitSignatures(type: ts.Type, direction: Direction): void {
    for (const signature of type.getCallSignatures().concat(type.getConstructSignatures())) {
      if (signature.declaration && !isOurs(signature.declaration.getSourceFile().fileName)) continue
      for (const parameter of signature.getParameters()) visit(checker.getTypeOfSymbol(parameter), flip(direction))
      visit(signature.getReturnType(), direction)
    }
  }

  function visitProperty(type: ts.Type, property: ts.Symbol, direction: Direction): void {
    if (!property.declarations?.every((declaration) => ts.getJSDocTags(declaration).every(({ tagName }) => tagName.text !== "internal"))) return
    if (!property.declarations.some((declaration) => isOurs(declaration.getSourceFile().fileName))) return
    if (property.declarations.some((declaration) => (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Private) !== 0)) return
    const held = checker.getTypeOfSymbol(property)
    // One that a symbol names is the language's own.
    if (direction === "given" && !property.name.startsWith("__@") && (property.flags & ts.SymbolFlags.Optional) !== 0 && !takesUndefined(held)) found.add(nameOf(type, property))
    visit(held, direction)
  }

  function visit(type: ts.Type, direction: Direction): void {
    if (seen[direction].has(type)) return
    seen[direction].add(type)
    if (direction === "given" && handles.includes(type.symbol?.name)) return
    const constraint = type.isTypeParameter() ? type.getConstraint() : undefined
    if (constraint) visit(constraint, direction)
    for (const argument of type.aliasTypeArguments ?? []) visit(argument, direction)
    if (checker.isArrayType(type) || checker.isTupleType(type) || type.symbol?.name === "Promise") {
      for (const argument of checker.getTypeArguments(type as ts.TypeReference)) visit(argument, direction)
    }
    if (type.isUnionOrIntersection()) for (const part of type.types) visit(part, direction)
    if (type.getStringIndexType()) visit(type.getStringIndexType() as ts.Type, direction)
    if ((type.flags & ts.TypeFlags.Object) === 0) return
    visitSignatures(type, direction)
    for (const property of type.getProperties()) visitProperty(type, property, direction)
  }

  for (const file of files) {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    if (!module) throw new Error(`${file} is no module of the program.`)
    for (const exported of checker.getExportsOfModule(module)) {
      const symbol = (exported.flags & ts.SymbolFlags.Alias) === 0 ? exported : checker.getAliasedSymbol(exported)
      if (symbol.flags & ts.SymbolFlags.Value) visit(checker.getTypeOfSymbol(symbol), "got")
      // A type that is only named, `Options` of something, is one that users write objects of.
      if (/(?:Options|Props|Init)$/.test(symbol.name) && symbol.flags & ts.SymbolFlags.Type) visit(checker.getDeclaredTypeOfSymbol(symbol), "given")
    }
  }
  return [...found].sort()
}
