import { Failed, Stale } from "../parts/Failed.tsx"
import { CoinIcon } from "../parts/Icon.tsx"
import { Skeleton } from "../parts/lazy.tsx"
import { Sparkline } from "../parts/Sparkline.tsx"
import { preferences } from "../state/preferences.ts"
import { fragmentOf } from "../state/route.ts"
import { useReading } from "../state/useReading.ts"
import { useStore } from "../state/useStore.ts"
import { plain } from "../text/decimal.ts"
import { direction, listedPrice, percent, sanitized } from "../text/format.ts"
import { t } from "../text/language.ts"
import { type CoinPrice, readMarket, type Trend } from "./prices.ts"

interface CoinRowProps {
  readonly coin: CoinPrice
  readonly currency: string
  readonly trend: Trend | undefined
}

const Row = ({ coin, currency, trend }: CoinRowProps) => {
  const { id, name, priceChangePercent24h: change, symbol } = coin
  return (
    <li class="row">
      <a class="coin-row" href={fragmentOf({ view: "coin", items: [id] })}>
        <CoinIcon coinId={id} symbol={symbol} />
        <span>
          <bdi class="symbol">{sanitized(name)}</bdi>
          <bdi class="detail">{sanitized(symbol, 12).toUpperCase()}</bdi>
        </span>
        <Sparkline trend={trend} change={change} />
        <span class="number">
          {coin.price == null ? t("unknown") : listedPrice(plain(coin.price), currency)}
          {typeof change === "number" && <span class={`detail ${direction(change)}`}>{percent(change)}</span>}
        </span>
      </a>
    </li>
  )
}

/** Coins with their current price, and its change over a day as a number and as a line. */
export const CoinList = ({ ids }: { readonly ids: ReadonlyArray<string> }) => {
  const { currency } = useStore(preferences)
  const { reading, retry } = useReading(
    `${ids.join()} ${currency}`,
    (client, signal) => readMarket(client, ids, currency, signal),
    true
  )
  if (reading.state === "waiting") return <Skeleton kind="line" rows={ids.length} />
  if (reading.state === "failed") return <Failed problem={reading.problem} retry={retry} />
  const { at, data, isStale } = reading
  const { prices, trends } = data
  return (
    <>
      {isStale && <Stale at={at} />}
      <ul class="rows">
        {ids.map((id) => {
          const coin = Object.hasOwn(prices, id) ? prices[id] : undefined
          return coin === undefined ? null : <Row key={id} coin={coin} currency={currency} trend={trends.get(id)} />
        })}
      </ul>
      <p class="label period">{t("period")}</p>
    </>
  )
}
