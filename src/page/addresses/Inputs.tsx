import { networkName, service } from "../state/service.ts"
import { useStore } from "../state/store.ts"
import { sanitized, shortened } from "../text/format.ts"
import type { Lookup } from "./accounts.ts"

const maxListed = 20

const remarkOf = (lookup: Lookup, nameOf: (network: string) => string): string | undefined => {
  if (lookup.state === "waiting") return undefined
  if (lookup.state === "failed") return lookup.problem
  if (lookup.matches.length === 0)
    return "fits no network: it may be mistyped, or belong to a network that this service does not support."
  const notes = Map.groupBy(
    lookup.matches.filter(({ note }) => note !== undefined),
    ({ note }) => note ?? ""
  )
  const texts = [...notes].map(([note, matches]) =>
    matches.length === lookup.matches.length
      ? note
      : `${matches.map(({ network }) => nameOf(network)).join(", ")}: ${note}`
  )
  return texts.length === 0 ? undefined : texts.join(" ")
}

/** Remarks about the entered texts: texts that match no network, and notes on texts that match. */
export const LookupRemarks = ({ lookups }: { readonly lookups: ReadonlyArray<Lookup> }) => {
  const known = useStore(service)
  const remarks = lookups.flatMap((lookup) => {
    const remark = remarkOf(lookup, (network) => networkName(known, network))
    return remark === undefined ? [] : [{ text: lookup.text, remark }]
  })
  if (remarks.length === 0) return null
  return (
    <ul class="remarks" aria-label="About these addresses">
      {remarks.slice(0, maxListed).map(({ remark, text }) => (
        <li key={text}>
          <bdi class="code">{shortened(sanitized(text, 300))}</bdi> {remark}
        </li>
      ))}
      {remarks.length > maxListed && <li>and {remarks.length - maxListed} more.</li>}
    </ul>
  )
}
