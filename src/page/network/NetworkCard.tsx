import { CoinIcon } from "../parts/Icon.tsx"
import { Pending } from "../parts/lazy.tsx"
import { blockTitle, type KnownNetwork } from "../state/knownNetworks.ts"
import { currencies, preferences } from "../state/preferences.ts"
import { fragmentOf } from "../state/route.ts"
import { useStore } from "../state/store.ts"
import { type ServiceReading, useReading } from "../state/useReading.ts"
import { age, count, price } from "../text/format.ts"
import { t } from "../text/language.ts"
import { inCurrency, rateOf } from "./fees.ts"

const unknownOf = ({ state }: ServiceReading<unknown>) => (state === "waiting" ? <Pending /> : t("unknown"))

/** The age of a value that could not be read again. */
const ageOf = (reading: ServiceReading<unknown>) =>
  reading.state === "read" && reading.isStale ? age(reading.at, Date.now()) : undefined

/** A network with its newest block and the cost of a transfer. Unknown values are said to be unknown. */
export const NetworkCard = ({ network }: { readonly network: KnownNetwork }) => {
  const { id, name, nativeCoin } = network
  const { currency } = useStore(preferences)
  const { perUsd } = rateOf(currency, useStore(currencies))
  const block = useReading(id, (client, signal) => client.newestBlock(id, { signal }), true).reading
  const fees = useReading(id, (client, signal) => client.fees(id, { signal }), true).reading
  const fee = fees.state === "read" ? fees.data.levels.standard.transferFeeUsd : null
  return (
    <li class="row">
      <a class="coin-row" href={fragmentOf({ view: "network", items: [id] })}>
        <CoinIcon coinId={nativeCoin.coinId} symbol={nativeCoin.symbol} />
        <span class="wide">
          <span class="symbol">{name}</span>
          <span class="detail">
            {t(blockTitle(network))} {block.state === "read" ? count(block.data.height) : unknownOf(block)}
          </span>
        </span>
        <span class="number">
          {fee === null || perUsd === null ? unknownOf(fees) : price(inCurrency(fee, perUsd), currency)}
          <span class="detail">{ageOf(block) ?? ageOf(fees) ?? t("perTransfer")}</span>
        </span>
      </a>
    </li>
  )
}
