import { Fact } from "../parts/Fact.tsx"
import { Failed, Missing } from "../parts/Failed.tsx"
import { Skeleton } from "../parts/lazy.tsx"
import type { KnownNetwork } from "../state/knownNetworks.ts"
import { currencies, preferences } from "../state/preferences.ts"
import { useReading } from "../state/useReading.ts"
import { useStore } from "../state/useStore.ts"
import { age, amount, duration, price, sanitized } from "../text/format.ts"
import { t } from "../text/language.ts"
import { basisOf, columnsOf, type FeeLevel, levelsOf, missingIn, type NetworkFees } from "./fees.ts"
import { inCurrency, rateOf } from "./rates.ts"

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
  if (perUsd === null) return <Missing code={undefined} detail={error ?? t("noRateOf", { currency })} />
  return <>{price(inCurrency(level.transferFeeUsd, perUsd), currency)}</>
}

interface LevelProps {
  readonly fee: FeeLevel
  readonly columns: ReadonlyArray<string>
  readonly fees: NetworkFees
  readonly symbol: string
}

/** A fee level as a card: the cost of a transfer, the time to a block, and the numbers for the transaction. */
const Level = ({ columns, fee: { level, name, rates }, fees, symbol }: LevelProps) => (
  <section class="panel fee" aria-label={t(name)}>
    <h3>
      {t(name)}
      <span class="label">{level.seconds === null ? t("unknown") : `≈ ${duration(level.seconds)}`}</span>
    </h3>
    <p class="cost">
      <Worth level={level} transfer={fees.transfer} />
    </p>
    <p class="label">
      {level.transferFee === null ? (
        <Missing code={level.errorCode} detail={level.error} />
      ) : (
        <data value={level.transferFee}>
          {amount(level.transferFee)} {symbol}
        </data>
      )}
    </p>
    <dl>
      {columns.map((column) => (
        <Fact key={column} title={column}>
          {rates.get(column) ?? <Missing code={level.errorCode} detail={level.error} />}
        </Fact>
      ))}
    </dl>
  </section>
)

const Levels = ({ fees, network }: FeesProps & { readonly fees: NetworkFees }) => {
  const levels = levelsOf(fees)
  const columns = columnsOf(levels)
  const missing = missingIn(levels)
  if (missing !== undefined)
    return (
      <p class="panel">
        <Missing code={missing.errorCode} detail={missing.error} />
      </p>
    )
  return (
    <div class="cards">
      {levels.map((fee) => (
        <Level key={fee.name} fee={fee} columns={columns} fees={fees} symbol={network.nativeCoin.symbol} />
      ))}
    </div>
  )
}

/** The transaction fees of a network: three levels, and the values behind them. */
export const Fees = ({ network }: FeesProps) => {
  const { reading, retry } = useReading(network.id, (client, signal) => client.fees(network.id, { signal }), true)
  if (reading.state === "failed") return <Failed problem={reading.problem} retry={retry} />
  if (reading.state === "waiting") return <Skeleton kind="panel fee" rows={3} />
  const { data: fees } = reading
  return (
    <>
      <Levels fees={fees} network={network} />
      <p class="help">{t("plainTransfer", { description: sanitized(fees.transfer.description, 300) })}</p>
      <details class="as-table">
        <summary>{t("feeBasis")}</summary>
        <dl class="facts">
          {levelsOf(fees).flatMap(({ exact, name, rates }) =>
            [...exact].flatMap(([title, text]) =>
              text === null || text === rates.get(title) ? (
                []
              ) : (
                <Fact key={`${name} ${title}`} title={`${t(name)}: ${title.toLowerCase()}`}>
                  {text}
                </Fact>
              )
            )
          )}
          {basisOf(fees).map(({ error, text, title }) => (
            <Fact key={title} title={title}>
              {text ?? <Missing code={undefined} detail={error} />}
            </Fact>
          ))}
        </dl>
      </details>
      <p>
        <button type="button" class="quiet" onClick={retry}>
          {t("refresh")}
        </button>{" "}
        {fees.updatedAt !== null && <span class="label">{t("readAt", { age: age(fees.updatedAt, Date.now()) })}</span>}
      </p>
    </>
  )
}
