import { CoinIcon } from "../parts/CoinIcon.tsx"
import { currencies } from "../state/currencies.ts"
import type { KnownNetwork } from "../state/knownNetworks.ts"
import { preferences } from "../state/preferences.ts"
import { fragmentOf } from "../state/route.ts"
import { useStore } from "../state/store.ts"
import { useReading } from "../state/useReading.ts"
import { count, price } from "../text/format.ts"
import { t } from "../text/language.ts"
import { readBlock } from "./block.ts"
import { inCurrency, rateOf } from "./fees.ts"

/** A network with its newest block and the cost of a transfer. Unknown values are said to be unknown. */
export const NetworkCard = ({ network: { id, name, nativeCoin } }: { readonly network: KnownNetwork }) => {
  const { currency } = useStore(preferences)
  const { perUsd } = rateOf(currency, useStore(currencies))
  const { reading } = useReading(
    `live ${id}`,
    async (client, signal) => {
      const [block, fees] = await Promise.allSettled([readBlock(client, id, signal), client.fees(id, { signal })])
      return {
        block: block.status === "fulfilled" ? block.value : undefined,
        fee: fees.status === "fulfilled" ? fees.value.levels.standard.transferFeeUsd : null
      }
    },
    true
  )
  const { block, fee = null } = reading.state === "read" ? reading.data : {}
  const unknown = reading.state === "waiting" ? <span class="skeleton word">.</span> : t("unknown")
  return (
    <li class="row">
      <a class="coin-row" href={fragmentOf({ view: "network", items: [id] })}>
        <CoinIcon coinId={nativeCoin.coinId} symbol={nativeCoin.symbol} />
        <span>
          <span class="symbol">{name}</span>
          <span class="detail">
            {t("block")} {block === undefined ? unknown : count(block.number)}
          </span>
        </span>
        <span />
        <span class="number">
          {fee === null || perUsd === null ? unknown : price(inCurrency(fee, perUsd), currency)}
          <span class="detail">{t("perTransfer")}</span>
        </span>
      </a>
    </li>
  )
}
