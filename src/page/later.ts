/** The URL of the styles of `laterViews.ts`: scripts/page.ts sets it. */
declare const LATER_STYLE: string

let style: Promise<void> | undefined

/** Loads the styles once. Without them the views are plain, but complete. */
const loadStyle = (): Promise<void> => {
  style ??= new Promise((resolve) => {
    const link = document.createElement("link")
    link.rel = "stylesheet"
    link.href = LATER_STYLE
    link.onload = () => resolve()
    link.onerror = () => resolve()
    document.head.append(link)
  })
  return style
}

/** Everything that the first view does not need, with its styles. */
export const later = () => Promise.all([import("./laterViews.ts"), loadStyle()]).then(([views]) => views)
