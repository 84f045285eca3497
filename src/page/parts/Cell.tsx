import type { ComponentChildren } from "preact"

/** A table cell. Narrow screens show tables as blocks, where each cell includes the name of its column. */
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
