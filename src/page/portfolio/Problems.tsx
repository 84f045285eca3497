import { networkName, service } from "../state/service.ts"
import { useStore } from "../state/store.ts"
import { counted, foreign } from "../text/format.ts"
import type { Loading } from "./Loading.ts"
import { mayImprove } from "./load.ts"

const maxListed = 8

interface ProblemsProps {
  readonly loading: Loading
  readonly retry: () => void
}

/** What could not be read, each cause once with the networks that it concerns. */
const causesOf = ({ accounts, failures }: Loading): ReadonlyMap<string, ReadonlySet<string>> => {
  const causes = new Map<string, Set<string>>()
  const add = (cause: string, network: string) => causes.set(cause, (causes.get(cause) ?? new Set()).add(network))
  for (const { network, problem, state } of accounts) if (state === "failed") add(problem ?? "", network)
  for (const { message, network } of failures) add(foreign(message, 300), network)
  return causes
}

/** What could not be read, and a button that reads it again. */
export const Problems = ({ loading, retry }: ProblemsProps) => {
  const known = useStore(service)
  const { accounts, failures, isDone, lookups } = loading
  const again =
    lookups.filter(({ state }) => state === "failed").length +
    accounts.filter((account) => mayImprove(account, failures)).length
  if (!isDone || again === 0) return null
  const causes = [...causesOf(loading)]
  return (
    <section class="panel problems" aria-label="What could not be read">
      {causes.length > 0 && (
        <ul>
          {causes.slice(0, maxListed).map(([cause, networks]) => (
            <li key={cause}>
              {[...networks].map((network) => networkName(known, network)).join(", ")}: {cause}
            </li>
          ))}
        </ul>
      )}
      <button type="button" onClick={retry}>
        Retry {counted(again, "address", "addresses")} with missing values
      </button>
    </section>
  )
}
