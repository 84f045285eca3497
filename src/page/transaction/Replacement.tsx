import type { components } from "../../client/Client.ts"
import { feeOf } from "../history/movements.ts"
import { fieldOf } from "../network/fees.ts"
import { Fact } from "../parts/Fact.tsx"
import { Failed, Missing } from "../parts/Failed.tsx"
import { Skeleton } from "../parts/lazy.tsx"
import type { KnownNetwork } from "../state/knownNetworks.ts"
import { service } from "../state/service.ts"
import { useReading } from "../state/useReading.ts"
import { useStore } from "../state/useStore.ts"
import { amount, sanitized } from "../text/format.ts"
import { t } from "../text/language.ts"
import { type Prices, usePrices, Valued } from "./Worth.tsx"

type Replacement = components["schemas"]["TransactionReplacement"]
type UtxoMinimum = components["schemas"]["UtxoReplacementMinimum"]

interface MinimumProps {
  readonly network: KnownNetwork
  readonly prices: Prices
}

/** An amount in base units of the native coin, as a fact. */
const Fee = ({ network, of, prices, title }: MinimumProps & { readonly of: string; readonly title: string }) => (
  <Fact title={title}>
    <Valued of={feeOf(useStore(service), network.id, of)} at={Date.now() / 1000} prices={prices} />
  </Fact>
)

const Utxo = ({ of, ...part }: MinimumProps & { readonly of: UtxoMinimum }) => (
  <>
    <Fact title={t("repRate")}>
      <data value={of.satPerVbyte}>{amount(of.satPerVbyte)} sat/vB</data>
    </Fact>
    <Fee {...part} title={t("repFee", { count: of.vbytes })} of={of.feeBaseUnits} />
    {of.replacedFeeBaseUnits !== null && <Fee {...part} title={t("repReplaced")} of={of.replacedFeeBaseUnits} />}
  </>
)

/** The least that a replacement or a child must pay. */
const Least = ({
  network,
  of: { kind, minimum, reason, transfer }
}: {
  readonly network: KnownNetwork
  readonly of: Replacement
}) => {
  const known = useStore(service)
  const prices = usePrices([feeOf(known, network.id, "0")])
  // A later version of the service may know other kinds.
  if ((kind !== "replace" && kind !== "child") || minimum === null)
    return <p class="missing">{t("repNone", { reason: sanitized(reason ?? t("unknown"), 300) })}</p>
  return (
    <>
      <p>{t(kind === "replace" ? "rep_replace" : "rep_child")}</p>
      <dl class="facts">
        {"vbytes" in minimum ? (
          <Utxo network={network} prices={prices} of={minimum} />
        ) : (
          Object.entries(minimum)
            .filter(([, value]) => value !== null)
            .map(([name, value]) => fieldOf(name, value))
            .map(({ text, title }) => (
              <Fact key={title} title={title}>
                {text}
              </Fact>
            ))
        )}
        {kind === "replace" &&
          (transfer === null || transfer.feeBaseUnits === null ? (
            <Fact title={t("repCancel")}>
              <Missing code={undefined} detail={reason} />
            </Fact>
          ) : (
            <Fee network={network} prices={prices} title={t("repCancel")} of={transfer.feeBaseUnits} />
          ))}
      </dl>
    </>
  )
}

/** The families whose pending transactions can be replaced. */
const families: ReadonlyArray<string> = ["evm", "utxo"]

const Read = ({ hash, network }: { readonly network: KnownNetwork; readonly hash: string }) => {
  const { reading, retry } = useReading(`${network.id} ${hash}`, (client, signal) =>
    client.transactions.replacement({ network: network.id, hash }, { signal })
  )
  if (reading.state === "failed") return <Failed problem={reading.problem} retry={retry} />
  return reading.state === "waiting" ? <Skeleton kind="line" rows={2} /> : <Least network={network} of={reading.data} />
}

/** What a transaction must pay to speed up or cancel a pending one. */
export const Replacement = ({ hash, network }: { readonly network: KnownNetwork; readonly hash: string }) => (
  <section class="panel" aria-label={t("speedUp")}>
    <h2>{t("speedUp")}</h2>
    {families.includes(network.family) ? (
      <Read network={network} hash={hash} />
    ) : (
      <p>{t("repNever", { network: network.name })}</p>
    )}
  </section>
)
