/** What was stored at an earlier visit; undefined where there is nothing, or the browser keeps nothing for the page. */
export const readStored = (item: string): string | undefined => {
  try {
    return localStorage.getItem(item) ?? undefined
  } catch {
    return undefined
  }
}

/** Stores a text for later visits, where the browser keeps it. */
export const writeStored = (item: string, text: string): void => {
  try {
    localStorage.setItem(item, text)
  } catch {}
}
