import { useState } from "preact/hooks"
import { announce } from "../state/announcement.ts"

/** Where the page is not served over https or from this machine, browsers have no clipboard for it. */
const copied = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** Copies a text; `what` it is stands in the name of the button. */
export const Copy = ({ text, what }: { readonly text: string; readonly what: string }) => {
  const [done, setDone] = useState<boolean>()
  const copy = async () => {
    const isDone = await copied(text)
    setDone(isDone)
    announce(isDone ? `Copied ${what}.` : "The browser does not let this page copy.")
  }
  const label = done === undefined ? "Copy" : done ? "Copied" : "Not copied"
  return (
    <button type="button" class="quiet" aria-label={`${label} ${what}`} onClick={() => void copy()}>
      {label}
    </button>
  )
}
