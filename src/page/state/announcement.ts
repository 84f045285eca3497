import { makeStore } from "./store.ts"

/** What screen readers say next; shown to nobody else. */
export const announcement = makeStore("")

export const announce = (text: string) => announcement.set(text)
