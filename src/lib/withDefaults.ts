/** Some of a type's properties; `undefined` is none. */
export type Some<Options> = { readonly [Name in keyof Options]?: Options[Name] | undefined }

/** The defaults with what is given in their place; a spread would put an `undefined` there, too. */
export function withDefaults<Options extends object>(defaults: Options, given: Some<Options> = {}): Options {
  return { ...defaults, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) }
}
