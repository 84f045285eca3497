import { Skeleton } from "../parts/lazy.tsx"
import { Missing } from "../parts/Missing.tsx"
import { useReading } from "../state/useReading.ts"
import { amount } from "../text/format.ts"
import { t } from "../text/language.ts"
import { partsOf } from "./breakdown.ts"
import type { BalanceRow } from "./Loading.ts"

/** The parts of a native balance: first those already read, then all parts that the network has. */
export const Parts = ({ row }: { readonly row: BalanceRow }) => {
  const { blockchain: networkId, holderAddress: address } = row
  const { reading, retry } = useReading(`${networkId} ${address}`, (client, signal) =>
    client.balances.token({ networkId, address, detail: true }, { signal })
  )
  const current = reading.state === "read" ? reading.data : row
  const { breakdown } = current
  const parts = partsOf(breakdown)
  return (
    <>
      <dl class="facts">
        {parts.map((part) => (
          <div key={part.title}>
            <dt title={part.meaning}>
              {part.title}
              <span class="only-read">, {part.meaning}</span>
            </dt>
            <dd>
              {part.amount === null ? (
                <Missing code={breakdown?.errorCode} detail={breakdown?.error} />
              ) : (
                <data value={part.amount}>{amount(part.amount)}</data>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {reading.state === "waiting" && <Skeleton kind="word" />}
      {reading.state === "read" && current.balance === null && (
        <Missing code={current.errorCode} detail={current.error} />
      )}
      {reading.state === "read" && current.balance !== null && parts.length === 0 && (
        <p class="label">{t("noParts")}</p>
      )}
      {reading.state === "failed" && (
        <p class="problem" role="alert">
          {reading.problem}{" "}
          <button type="button" class="quiet" onClick={retry}>
            {t("retry")}
          </button>
        </p>
      )}
    </>
  )
}
