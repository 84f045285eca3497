/** A text stored at an earlier visit; undefined if there is no such text or no browser storage. */
export const readStored = (item: string): string | undefined => {
  try {
    return localStorage.getItem(item) ?? undefined
  } catch {
    return undefined
  }
}

/** Stores a text for later visits, if the browser allows it. */
export const writeStored = (item: string, text: string): void => {
  try {
    localStorage.setItem(item, text)
  } catch {}
}
