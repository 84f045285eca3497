/** JSON that may stand in a header: what is not ASCII is escaped, which changes nothing for a reader of JSON. */
export const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )
