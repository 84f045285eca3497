/** As many addresses as the page takes at once. */
export const maxTexts = 500

/** The addresses in a text that somebody has pasted: between white space, commas and semicolons, without quotes; each once. */
export const addressTexts = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .split(/[\s,;]+/)
      .map((part) => part.replace(/^["'`<[(]+|["'`>\])]+$/g, ""))
      .filter((part) => part !== "")
  )
]
