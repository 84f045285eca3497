import { useState } from "preact/hooks"
import { announce } from "../state/notices.ts"
import { t } from "../text/language.ts"
import { Icon } from "./Icon.tsx"

/** Browsers offer the clipboard only to pages that are served over https or from localhost. */
const write = async (text: string) => navigator.clipboard.writeText(text)

/** A button that copies a text; `what` describes the text in the name of the button. */
export const Copy = ({ text, what }: { readonly text: string; readonly what: string }) => {
  const [isCopied, setCopied] = useState<boolean>()
  const copy = async () => {
    const isDone = await write(text).then(
      () => true,
      () => false
    )
    setCopied(isDone)
    announce(isDone ? t("copiedText", { what }) : t("notCopied"))
  }
  const label = t("copyText", { what })
  return (
    <button type="button" class="plain" aria-label={label} title={label} onClick={() => void copy()}>
      <Icon name={isCopied === undefined ? "copy" : isCopied ? "done" : "alert"} />
    </button>
  )
}

export interface CodeTextProps {
  readonly title: string
  readonly text: string
  /** The full text to copy, if the shown text is truncated. */
  readonly whole?: string
}

/** Code or data, and a button that copies it. */
export const CodeText = ({ text, title, whole = text }: CodeTextProps) => (
  <figure class="code-text">
    <figcaption>
      {title} <Copy text={whole} what={title} />
    </figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and by keyboard too */}
    <pre class="code" tabIndex={0}>
      {text}
    </pre>
  </figure>
)
