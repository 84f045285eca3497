import { useEffect } from "preact/hooks"
import { Failed, NoNetworks } from "../parts/Failed.tsx"
import { NetworkMark } from "../parts/NetworkMark.tsx"
import type { KnownNetwork } from "../state/knownNetworks.ts"
import { fragmentOf } from "../state/route.ts"
import { networkName, service } from "../state/service.ts"
import { useReading } from "../state/useReading.ts"
import { useStore } from "../state/useStore.ts"
import { sanitized } from "../text/format.ts"
import { t } from "../text/language.ts"
import type { ViewProps } from "../views.tsx"
import { Enter } from "./Enter.tsx"
import { Followed } from "./Followed.tsx"
import { networksOfHash } from "./hashes.ts"
import { readPlaces } from "./places.ts"
import "./words.ts"

/** Looks a hash up on the networks that its form allows, and opens the transaction if it is on one. */
const Search = ({ hash, networks }: { readonly hash: string; readonly networks: ReadonlyArray<KnownNetwork> }) => {
  const known = useStore(service)
  const ids = networks.map(({ id }) => id)
  const { reading, retry } = useReading(`${hash} ${ids.join()}`, (client, signal) =>
    readPlaces(client, hash, ids, signal)
  )
  const places = reading.state === "read" ? reading.data : undefined
  const only = places?.found.length === 1 ? places.found[0] : undefined
  const linkTo = (network: string) => fragmentOf({ view: "tx", items: [network, hash] })
  useEffect(() => {
    if (only !== undefined) location.replace(linkTo(only))
  }, [only])
  if (ids.length === 0) return <p class="problem">{t("txNoNetwork")}</p>
  if (reading.state === "failed") return <Failed problem={reading.problem} retry={retry} />
  if (places === undefined || only !== undefined) return <p role="status">{t("txLooking", { count: ids.length })}</p>
  const names = places.absent.map((id) => networkName(known, id)).join(", ")
  return (
    <>
      {places.found.length > 0 && (
        <>
          <p>{t("txSeveral")}</p>
          <ul class="rows">
            {places.found.map((id) => (
              <li key={id} class="row">
                <a class="coin-row" href={linkTo(id)}>
                  <NetworkMark network={id} />
                  {networkName(known, id)}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
      {names !== "" && <p>{t("txNowhere", { networks: names })}</p>}
      {places.unread.map(({ network, reason }) => (
        <p key={network} class="missing">
          {t("txUnread", { network: networkName(known, network), reason: sanitized(reason, 300) })}
        </p>
      ))}
      <button type="button" onClick={retry}>
        {t("retry")}
      </button>
    </>
  )
}

const Shown = ({ items: [first = "", hash] }: ViewProps) => {
  const { networks } = useStore(service)
  if (networks.length === 0) return <NoNetworks rows={4} />
  if (hash === undefined) {
    const text = sanitized(first, 100)
    return (
      <>
        <p>
          <bdi class="code">{text}</bdi>
        </p>
        <Search hash={first} networks={networksOfHash(first, networks)} />
      </>
    )
  }
  const name = first.toLowerCase()
  const network = networks.find(({ aliases, id }) => id === name || aliases.includes(name))
  if (network === undefined)
    return (
      <p class="problem" role="alert">
        {t("noNetwork", { name: sanitized(first) })}
      </p>
    )
  return <Followed key={`${network.id} ${hash}`} network={network} hash={hash} />
}

/** A transaction, followed until it is final; without one, a field for a hash or a signed transaction. */
export const Transaction = ({ items }: ViewProps) => (
  <>
    <h1>{t("transaction")}</h1>
    {items.length === 0 ? (
      <Enter />
    ) : (
      <>
        <Shown items={items} />
        <p>
          <a href="#/tx">{t("txAnother")}</a>
        </p>
      </>
    )}
  </>
)
