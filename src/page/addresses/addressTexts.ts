/** The maximum number of addresses that the page accepts at once. */
export const maxTexts = 500

/** The addresses in a pasted text: split at white space, commas and semicolons, without quotes or duplicates. */
export const addressTexts = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .split(/[\s,;]+/)
      .map((part) => part.replace(/^["'`<[(]+|["'`>\])]+$/g, ""))
      .filter((part) => part !== "")
  )
]
