import type { ComponentChildren } from "preact"

/** A cell of a table that narrow screens show as blocks: there the name of its column stands in it. */
export const Cell = ({
  children,
  isNumber = false,
  title
}: {
  readonly title: string
  readonly isNumber?: boolean
  readonly children: ComponentChildren
}) => (
  <td role="cell" class={isNumber ? "number" : ""}>
    <span class="title" aria-hidden="true">
      {title}
    </span>
    {children}
  </td>
)
