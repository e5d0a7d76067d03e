/**
 * The TSDoc of an exported function or interface as Markdown, from the text of its source, so that a story's page says what the
 * reference says.
 *
 * @throws Error where the source has no such export with a comment.
 */
export function tsdoc(source: string, name: string): string {
  const match = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*export (?:async )?(?:function|interface|const|type) ${name}\\b`).exec(source)
  if (!match?.[1]) throw new Error(`The source has no comment above its export "${name}".`)
  return match[1]
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n")
    .replace(/@param (\w+) - /g, "\n\n`$1`: ")
    .replace(/@throws /g, "\n\nThrows ")
    .replace(/@example\n([\s\S]*?)(?=\n@|$)/g, "\n\n```tsx\n$1\n```")
    .replace(/\{@link (\w+)\}/g, "`$1`")
    .trim()
}
