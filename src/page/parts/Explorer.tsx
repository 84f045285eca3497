import type { ComponentChildren } from "preact"

/** A link out of the page, where it leads to a web page; else its text alone. The other side learns nothing of this page. */
export const Explorer = ({
  children,
  name,
  url
}: {
  readonly url: string | undefined
  /** For screen readers. */
  readonly name: string
  readonly children: ComponentChildren
}) =>
  url !== undefined && URL.parse(url)?.protocol === "https:" ? (
    <a href={url} target="_blank" rel="noopener noreferrer" aria-label={name}>
      {children}
    </a>
  ) : null
