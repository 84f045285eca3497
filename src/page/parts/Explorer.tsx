import type { ComponentChildren } from "preact"

/** An external link that sends no referrer; renders nothing if the URL is not https. */
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
