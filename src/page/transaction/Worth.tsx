import { type PastPrices, readPastPrices, valueThen } from "../coin/prices.ts"
import type { Movement } from "../history/movements.ts"
import { Pending } from "../parts/lazy.tsx"
import { preferences } from "../state/preferences.ts"
import { type ServiceReading, useReading } from "../state/useReading.ts"
import { useStore } from "../state/useStore.ts"
import { money, shortened } from "../text/format.ts"
import { t } from "../text/language.ts"
import { exact } from "./exact.ts"

/** The daily prices of the last year of the coins of these movements, in the chosen currency. */
export interface Prices {
  readonly currency: string
  readonly reading: ServiceReading<PastPrices>
}

export const usePrices = (movements: ReadonlyArray<Movement>): Prices => {
  const { currency } = useStore(preferences)
  const ids = [...new Set(movements.flatMap(({ coinId }) => coinId || []))].sort()
  const { reading } = useReading(`past ${currency} ${ids.join()}`, (client, signal) =>
    readPastPrices(client, ids, 365, currency, signal)
  )
  return { currency, reading }
}

interface WorthProps {
  readonly of: Movement
  /** UNIX time, s. */
  readonly at: number
  readonly prices: Prices
}

/** The value of an amount at a time, or why it is not known. */
const Worth = ({ at, of, prices: { currency, reading } }: WorthProps) => {
  if (!/[1-9]/.test(of.text)) return null
  if (reading.state === "waiting") return <Pending />
  if (reading.state === "failed") return <span class="missing">{reading.problem}</span>
  const value = valueThen(of, at, reading.data)
  if (value === undefined) return <span class="missing">{t(of.coinId ? "noPastPrice" : "reason_no_price")}</span>
  const text = money(value, currency)
  return <span class="label number">{text.startsWith("<") ? text : `≈ ${text}`}</span>
}

/** An amount and its value. */
export const Valued = (properties: WorthProps) => {
  const { isScaled, symbol, text } = properties.of
  const name = symbol.length > 12 ? shortened(symbol) : symbol || t("nativeCoin")
  return (
    <>
      <data value={text}>
        {exact(text)} <bdi>{isScaled ? name : t("baseUnitsOf", { symbol: name })}</bdi>
      </data>{" "}
      <Worth {...properties} />
    </>
  )
}
