import { Pending } from "../parts/lazy.tsx"
import { NetworkMark } from "../parts/NetworkMark.tsx"
import { Sheet } from "../parts/Sheet.tsx"
import { hasBlocks, type KnownNetwork } from "../state/knownNetworks.ts"
import { currencies, preferences } from "../state/preferences.ts"
import { fragmentOf } from "../state/route.ts"
import { type ServiceReading, useReading } from "../state/useReading.ts"
import { useStore } from "../state/useStore.ts"
import { abilityState } from "../status/abilities.ts"
import { age, count, smallMoney } from "../text/format.ts"
import { t } from "../text/language.ts"
import { inCurrency, rateOf } from "./rates.ts"

const Unknown = ({ of }: { readonly of: ServiceReading<unknown> }) =>
  of.state === "waiting" ? (
    <Pending />
  ) : (
    <span class="label" title={of.state === "failed" ? of.problem : undefined}>
      {t("unknown")}
    </span>
  )

/** The fee of a plain transfer, the newest block and its age. Unknown values are said to be unknown. */
const Numbers = ({ network }: { readonly network: KnownNetwork }) => {
  const { id } = network
  const { currency } = useStore(preferences)
  const { perUsd } = rateOf(currency, useStore(currencies))
  const block = useReading(id, (client, signal) => client.blocks.newest(id, { signal }), true).reading
  const fees = useReading(id, (client, signal) => client.fees(id, { signal }), true).reading
  const fee = fees.state === "read" ? fees.data.levels.standard.transferFeeUsd : null
  const newest = block.state === "read" ? block.data : undefined
  return (
    <>
      <td>
        {fee === null || perUsd === null ? (
          <Unknown of={fees} />
        ) : (
          <span class="number">{smallMoney(inCurrency(fee, perUsd), currency)}</span>
        )}
      </td>
      <td>{newest === undefined ? <Unknown of={block} /> : <span class="number">{count(newest.height)}</span>}</td>
      <td>{newest === undefined || newest.at === null ? <Unknown of={block} /> : age(newest.at * 1000, Date.now())}</td>
    </>
  )
}

/** All networks in one table: what a transfer costs, the newest block, and how old it is. */
export const NetworkTable = ({ networks }: { readonly networks: ReadonlyArray<KnownNetwork> }) => (
  <Sheet
    kind="networks"
    caption={t("networks")}
    columns={[t("network"), t("feeOfTransfer"), t("newestBlock"), t("blockAge")]}
  >
    {networks.map((network) => {
      const { abilities, id, name, sunset } = network
      const state = abilityState(abilities.balance)
      return (
        <tr key={id}>
          <th scope="row">
            <span class="named">
              <NetworkMark network={id} size="small" />
              <a href={fragmentOf({ view: "network", items: [id] })}>{name}</a>
            </span>
            {state === "fails" && <span class="detail down">{t(state)}</span>}
          </th>
          {sunset !== undefined || !(hasBlocks(network) || abilities.fees.available) ? (
            <td colSpan={3} class="label">
              {t(sunset === undefined ? "unknown" : "reason_sunset")}
            </td>
          ) : (
            <Numbers network={network} />
          )}
        </tr>
      )
    })}
  </Sheet>
)
