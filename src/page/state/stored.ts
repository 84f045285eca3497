type Area = "localStorage" | "sessionStorage"

/** A text stored earlier; undefined if there is no such text or no browser storage. */
export const readStored = (item: string, area: Area = "localStorage"): string | undefined => {
  try {
    return globalThis[area].getItem(item) ?? undefined
  } catch {
    return undefined
  }
}

/** Stores a text for later visits, or until the tab is closed, if the browser allows it. */
export const writeStored = (item: string, text: string, area: Area = "localStorage"): void => {
  try {
    globalThis[area].setItem(item, text)
  } catch {}
}
