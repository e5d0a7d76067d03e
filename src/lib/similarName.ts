const lettersOf = (text: string): string => [...text.toLowerCase()].sort().join("")

/** Which of the names was probably meant; capitals are what is mixed up most, then the order of letters. */
export const similarName = (name: string, names: readonly string[]): string | undefined =>
  names.find((known) => lettersOf(known) === lettersOf(name))
