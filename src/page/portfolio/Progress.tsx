import { networkName, service } from "../state/service.ts"
import { useStore } from "../state/store.ts"
import { count } from "../text/format.ts"
import type { Loading } from "./Loading.ts"

const maxNamed = 4

/** How many networks have answered, and which have not; nothing when all have. */
export const Progress = ({ loading: { accounts, isDone, lookups } }: { readonly loading: Loading }) => {
  const known = useStore(service)
  if (isDone) return null
  if (accounts.length === 0) {
    const found = lookups.filter(({ state }) => state !== "waiting").length
    return (
      <p class="progress">
        <progress max={lookups.length} value={found} aria-label="Addresses looked up" /> Finding the networks of{" "}
        {count(lookups.length)} {lookups.length === 1 ? "address" : "addresses"} …
      </p>
    )
  }
  const networks = Map.groupBy(accounts, ({ network }) => network)
  const waiting = [...networks].flatMap(([network, group]) =>
    group.some(({ state }) => state === "waiting") ? [networkName(known, network)] : []
  )
  const more = waiting.length > maxNamed ? ` and ${waiting.length - maxNamed} more` : ""
  return (
    <p class="progress">
      <progress
        max={accounts.length}
        value={accounts.filter(({ state }) => state !== "waiting").length}
        aria-label="Addresses read"
      />{" "}
      {networks.size - waiting.length} of {networks.size} networks have answered
      {waiting.length > 0 && `; waiting for ${waiting.slice(0, maxNamed).join(", ")}${more}`}
    </p>
  )
}
