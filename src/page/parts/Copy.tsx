import { useState } from "preact/hooks"
import { announce } from "../state/announcement.ts"

/** Browsers offer the clipboard only to pages that are served over https or from localhost. */
const copied = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** A button that copies a text; `what` describes the text in the name of the button. */
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
