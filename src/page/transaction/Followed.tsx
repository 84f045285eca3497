import { useEffect } from "preact/hooks"
import { amountOf, feeOf, type Movement, type Party } from "../history/movements.ts"
import { flagText } from "../history/words.ts"
import { Copy } from "../parts/Copy.tsx"
import { Explorer } from "../parts/Explorer.tsx"
import { Fact } from "../parts/Fact.tsx"
import { Failed, Missing, Stale } from "../parts/Failed.tsx"
import { Icon, type IconName } from "../parts/Icon.tsx"
import { Skeleton } from "../parts/lazy.tsx"
import { NetworkMark } from "../parts/NetworkMark.tsx"
import { blockTitle, type KnownNetwork } from "../state/knownNetworks.ts"
import { announce } from "../state/notices.ts"
import { fragmentOf } from "../state/route.ts"
import { service } from "../state/service.ts"
import { useStore } from "../state/useStore.ts"
import { count, sanitized, shortened, time } from "../text/format.ts"
import { t } from "../text/language.ts"
import { Address } from "./Address.tsx"
import { flagsOf } from "./flagged.ts"
import {
  type Followed as Data,
  type FollowedState,
  type FoundTransaction,
  nextRead,
  readFollowed,
  stateOf
} from "./followed.ts"
import { Replacement } from "./Replacement.tsx"
import { usePolled } from "./usePolled.ts"
import { type Prices, usePrices, Valued } from "./Worth.tsx"

/** Further parties of one side are only counted. */
const maxParties = 20

interface SideProps {
  readonly title: string
  readonly parties: ReadonlyArray<Party>
  readonly movements: ReadonlyArray<Movement>
  readonly at: number
  readonly prices: Prices
  readonly isCopied: boolean
}

const Side = ({ at, isCopied, movements, parties, prices, title }: SideProps) => (
  <section class="panel" aria-label={title}>
    <h2>{title}</h2>
    {parties.length === 0 && <p class="missing">{t("noParty")}</p>}
    <ul class="parties">
      {parties.slice(0, maxParties).map((party, index) => (
        <li key={index} class="line">
          <Address of={party.address} isCopied={isCopied} />
          <span class="last">
            <Valued of={movements[index] as Movement} at={at} prices={prices} />
          </span>
        </li>
      ))}
      {parties.length > maxParties && <li>{t("andMore", { count: parties.length - maxParties })}</li>}
    </ul>
  </section>
)

interface FoundProps {
  readonly network: KnownNetwork
  readonly of: FoundTransaction
}

/** Both sides, the fee, and where and when it is. */
const Facts = ({ network, of }: FoundProps) => {
  const known = useStore(service)
  const movements = (parties: ReadonlyArray<Party>) => parties.map((party) => amountOf(known, network.id, party))
  const [from, to] = [movements(of.from), movements(of.to)]
  const fee = of.fee === null ? undefined : feeOf(known, network.id, of.fee)
  const prices = usePrices([...from, ...to, ...(fee === undefined ? [] : [fee])])
  const at = of.timestamp ?? Date.now() / 1000
  const flags = flagsOf(network.id, of.hash)
  const side = { at, prices, isCopied: flags.length === 0 }
  return (
    <>
      {flags.length > 0 && (
        <section class="panel" aria-label={t("flags")}>
          {flags.map((flag) => (
            <p key={flag} class="missing">
              {flagText(flag)}
            </p>
          ))}
        </section>
      )}
      <dl class="facts panel">
        <Fact title={t("fee")}>
          {fee === undefined ? (
            <span class="missing">{t("feeUncertain")}</span>
          ) : (
            <Valued of={fee} at={at} prices={prices} />
          )}
        </Fact>
        {/* The time of a pending transaction may be the present. */}
        {of.status !== "Pending" && (
          <>
            <Fact title={t("time")}>{of.timestamp === null ? t("unknown") : time(of.timestamp)}</Fact>
            <Fact title={t(blockTitle(network))}>{of.block === null ? t("unknown") : count(of.block)}</Fact>
          </>
        )}
        <Fact title={t("confirmationsTitle")}>
          {of.confirmations === null ? t("unknown") : count(of.confirmations)}
        </Fact>
        <Fact title={t("isFinal")}>{of.final === null ? t("unknown") : t(of.final ? "yes" : "no")}</Fact>
        {of.nonce !== null && <Fact title={t("nonce")}>{count(of.nonce)}</Fact>}
        {of.type !== "Unknown" && <Fact title={t("txType")}>{sanitized(of.type, 40)}</Fact>}
        {of.sources.length > 0 && (
          <Fact title={t("fromSources")}>{of.sources.map((name) => sanitized(name, 40)).join(", ")}</Fact>
        )}
      </dl>
      {of.from.length + of.to.length > 0 && (
        <>
          <Side {...side} title={t("from")} parties={of.from} movements={from} />
          <Side {...side} title={t("to")} parties={of.to} movements={to} />
        </>
      )}
      {of.missing.length > 0 && (
        <p class="missing">{t("missing", { list: of.missing.map((text) => sanitized(text, 300)).join(", ") })}</p>
      )}
      {of.error !== undefined && <Missing code={of.errorCode} detail={of.error} />}
    </>
  )
}

/** The symbol and the colour of each state. */
const looks: Readonly<Record<FollowedState, readonly [icon: IconName, colour: string]>> = {
  pending: ["pending", ""],
  confirmed: ["done", ""],
  final: ["done", "up"],
  failed: ["alert", "down"],
  replaced: ["alert", "down"],
  expired: ["alert", "down"],
  unknown: ["alert", ""]
}

const Status = ({ network, of }: { readonly network: KnownNetwork; readonly of: Data }) => {
  const state = stateOf(of)
  const { replacedBy } = of.found
  const title = t(`state_${state}`)
  const [icon, colour] = looks[state]
  useEffect(() => announce(title), [title])
  return (
    <section class={`panel tx-state ${state}`} aria-label={t("status")}>
      <h2 class={colour}>
        <Icon name={icon} /> {title}
      </h2>
      <p>{t(`after_${state}`)}</p>
      {replacedBy !== null && (
        <p>
          {t("replacedBy")}{" "}
          <a class="code" href={fragmentOf({ view: "tx", items: [network.id, replacedBy] })}>
            {shortened(replacedBy)}
          </a>
        </p>
      )}
    </section>
  )
}

interface FollowedProps {
  readonly network: KnownNetwork
  readonly hash: string
}

/** A transaction, read again until it is final. */
export const Followed = ({ hash, network }: FollowedProps) => {
  const { reading, retry } = usePolled<Data>(
    (client, signal) => readFollowed(client, network.id, hash, signal),
    nextRead
  )
  const data = reading.state === "read" ? reading.data : undefined
  return (
    <>
      <div class="line">
        <NetworkMark network={network.id} />
        <span>{network.name}</span>
        <Explorer
          url={data?.found.explorer}
          name={t("atExplorer", { address: shortened(hash), network: network.name })}
        >
          {t("explorer")}
        </Explorer>
      </div>
      <p>
        <bdi class="code">{sanitized(hash, 100)}</bdi>{" "}
        <Copy text={hash} what={t("theHash", { hash: shortened(hash) })} />
      </p>
      {reading.state === "waiting" && <Skeleton kind="line" rows={4} />}
      {reading.state === "failed" && <Failed problem={reading.problem} retry={retry} />}
      {reading.state === "read" && reading.isStale && <Stale at={reading.at} />}
      {data !== undefined && (
        <>
          <Status network={network} of={data} />
          {stateOf(data) === "pending" && <Replacement network={network} hash={hash} />}
          <Facts network={network} of={data.found} />
        </>
      )}
    </>
  )
}
