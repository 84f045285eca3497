import { Copy } from "./Copy.tsx"

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
