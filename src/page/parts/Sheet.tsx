import type { ComponentChildren } from "preact"

interface SheetProps {
  readonly kind: string
  readonly caption: string
  readonly columns: ReadonlyArray<string>
  /** The rows. */
  readonly children: ComponentChildren
}

/** A table that scrolls in its place if it is wider than the page. */
export const Sheet = ({ caption, children, columns, kind }: SheetProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and by keyboard too
  <section class="scrolling" tabIndex={0} aria-label={caption}>
    <table class={`sheet ${kind}`}>
      <caption class="only-read">{caption}</caption>
      <thead>
        <tr>
          {columns.map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
)
