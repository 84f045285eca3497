import { makeStore } from "./store.ts"

/** Text for screen readers, not visible on the page. */
export const announcement = makeStore("")

export const announce = (text: string) => announcement.set(text)
