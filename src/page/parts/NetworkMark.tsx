import { service } from "../state/service.ts"
import { useStore } from "../state/useStore.ts"
import { type NetworkMark as Mark, marksOf } from "./networkMarks.ts"

let marked: { readonly networks: unknown; readonly marks: ReadonlyMap<string, Mark> } | undefined

interface MarkProps {
  readonly network: string
  readonly size?: "small" | "large"
}

/** The mark of a network: its own letters and colour, without a request. Screen readers skip it. */
export const NetworkMark = ({ network, size }: MarkProps) => {
  const { networks } = useStore(service)
  if (marked?.networks !== networks) marked = { networks, marks: marksOf(networks) }
  const { hue, letters } = marked.marks.get(network) ?? { hue: 0, letters: network.slice(0, 2).toUpperCase() }
  return (
    <span class={`mark network ${size ?? ""}`} style={{ "--hue": hue }} aria-hidden="true">
      {letters}
    </span>
  )
}
