import { networkName, service } from "../state/service.ts"
import { useStore } from "../state/store.ts"
import { counted, foreign, shortened } from "../text/format.ts"
import { type AddressHistories, mayImprove } from "./histories.ts"
import { completenessOf } from "./words.ts"

/** Up to so many addresses are listed at once; of more, the list is opened by hand. */
const maxOpen = 6

interface CoverageProps {
  readonly current: AddressHistories
  readonly retry: () => void
}

/** How complete the history of each address is, why one could not be read, and a button that reads it again. */
export const Coverage = ({ current: { histories, isDone }, retry }: CoverageProps) => {
  const known = useStore(service)
  const again = histories.filter(mayImprove).length
  if (histories.length === 0) return null
  return (
    <>
      <details class="panel coverage" open={histories.length <= maxOpen}>
        <summary>How complete this is: {counted(histories.length, "history", "histories")}</summary>
        <ul>
          {histories.map((history) => (
            <li key={`${history.network} ${history.address}`}>
              {networkName(known, history.network)} <bdi class="code">{shortened(foreign(history.address, 300))}</bdi>:{" "}
              {completenessOf(history)}
              {history.problem !== undefined && <span class="missing"> {history.problem}</span>}
            </li>
          ))}
        </ul>
      </details>
      {isDone && again > 0 && (
        <p>
          <button type="button" onClick={retry}>
            Retry {counted(again, "history", "histories")}
          </button>
        </p>
      )}
    </>
  )
}
