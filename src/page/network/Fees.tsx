import { Failed } from "../parts/Failed.tsx"
import { Missing } from "../parts/Missing.tsx"
import { currencies } from "../state/currencies.ts"
import type { KnownNetwork } from "../state/knownNetworks.ts"
import { preferences } from "../state/preferences.ts"
import { useStore } from "../state/store.ts"
import { useReading } from "../state/useReading.ts"
import { age, amount, duration, price, sanitized } from "../text/format.ts"
import { basisOf, columnsOf, type FeeLevel, inCurrency, levelsOf, missingIn, type NetworkFees, rateOf } from "./fees.ts"

interface FeesProps {
  readonly network: KnownNetwork
}

/** The fee of the example in the selected currency, or the reason why it is unknown. */
const Worth = ({ level, transfer }: Pick<FeeLevel, "level"> & Pick<NetworkFees, "transfer">) => {
  const { currency } = useStore(preferences)
  const { error, perUsd } = rateOf(currency, useStore(currencies))
  if (level.transferFeeUsd === null) {
    const { error: detail, errorCode } = level.transferFee === null ? level : transfer
    return <Missing code={errorCode ?? "no_price"} detail={detail} />
  }
  if (perUsd === null) return <Missing code={undefined} detail={error ?? `no exchange rate of ${currency}`} />
  return <>{price(inCurrency(level.transferFeeUsd, perUsd), currency)}</>
}

const Levels = ({ fees, network: { name, nativeCoin } }: FeesProps & { readonly fees: NetworkFees }) => {
  const levels = levelsOf(fees)
  const columns = columnsOf(levels)
  const missing = missingIn(levels)
  const { currency } = useStore(preferences)
  if (missing !== undefined)
    return (
      <p>
        <Missing code={missing.errorCode} detail={missing.error} />
      </p>
    )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and by keyboard too
    <section class="scrolling" tabIndex={0} aria-label={`Fee levels of ${name}`}>
      <table class="sheet">
        <caption class="only-read">Fee levels of {name}</caption>
        <thead>
          <tr>
            <th scope="col">Level</th>
            <th scope="col">In a block after about</th>
            {columns.map((title) => (
              <th scope="col" key={title}>
                {title}
              </th>
            ))}
            <th scope="col">A plain transfer, {nativeCoin.symbol}</th>
            <th scope="col">in {currency}</th>
          </tr>
        </thead>
        <tbody>
          {levels.map(({ level, name: title, rates }) => (
            <tr key={title}>
              <th scope="row">{title}</th>
              <td>{level.seconds === null ? "not known" : duration(level.seconds)}</td>
              {columns.map((column) => (
                <td key={column}>{rates.get(column) ?? <Missing code={level.errorCode} detail={level.error} />}</td>
              ))}
              <td>
                {level.transferFee === null ? (
                  <Missing code={level.errorCode} detail={level.error} />
                ) : (
                  <data value={level.transferFee}>{amount(level.transferFee)}</data>
                )}
              </td>
              <td>
                <Worth level={level} transfer={fees.transfer} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** The transaction fees of a network: three levels, and the values behind them. */
export const Fees = ({ network }: FeesProps) => {
  const { reading, retry } = useReading(network.id, (client, signal) => client.fees(network.id, { signal }))
  if (reading.state === "failed") return <Failed problem={reading.problem} retry={retry} />
  if (reading.state === "waiting") return <p>Loading the fees …</p>
  const { data: fees } = reading
  return (
    <>
      <Levels fees={fees} network={network} />
      <p class="help">The plain transfer is {sanitized(fees.transfer.description, 300)}.</p>
      <dl class="facts">
        {basisOf(fees).map(({ error, text, title }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{text ?? <Missing code={undefined} detail={error} />}</dd>
          </div>
        ))}
      </dl>
      <p>
        <button type="button" onClick={retry}>
          Refresh
        </button>{" "}
        {fees.updatedAt !== null && <span class="label">Read {age(fees.updatedAt, Date.now())}.</span>}
      </p>
    </>
  )
}
