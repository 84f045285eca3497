import type { ComponentChildren } from "preact"

interface FactProps {
  readonly title: ComponentChildren
  readonly children: ComponentChildren
}

/** A name and a value in a list of facts. */
export const Fact = ({ children, title }: FactProps) => (
  <div>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
)
