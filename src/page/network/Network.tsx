import { useMemo, useState } from "preact/hooks"
import type { components } from "../../client/Client.ts"
import { addressTexts } from "../addresses/accounts.ts"
import { CodeText } from "../parts/Copy.tsx"
import { Failed, Missing, NoNetworks } from "../parts/Failed.tsx"
import { Pending, Skeleton } from "../parts/lazy.tsx"
import { NetworkMark } from "../parts/NetworkMark.tsx"
import { blockTitle, hasBlocks, type KnownNetwork, networkOf } from "../state/knownNetworks.ts"
import { goTo } from "../state/navigation.ts"
import { fragmentOf } from "../state/route.ts"
import { service } from "../state/service.ts"
import { useReading } from "../state/useReading.ts"
import { useStore } from "../state/useStore.ts"
import { age, count, sanitized, shortened } from "../text/format.ts"
import { t } from "../text/language.ts"
import { jsonOf } from "../text/request.ts"
import type { ViewProps } from "../views.tsx"
import { Fees } from "./Fees.tsx"
import { NetworkTable } from "./NetworkTable.tsx"
import { factsOf } from "./signing.ts"

type AddressContext = components["schemas"]["AddressContext"]

const Context = ({ address, answer }: { readonly address: string; readonly answer: AddressContext | undefined }) => {
  const { facts, isCut } = useMemo(() => factsOf(answer?.context ?? {}), [answer])
  const name = shortened(address)
  return (
    <section class="panel" aria-label={name}>
      <h3>
        <bdi class="code">{name}</bdi>
      </h3>
      {answer?.context == null ? (
        <Missing code={answer?.errorCode} detail={answer?.error} />
      ) : (
        <>
          <dl class="facts">
            {facts.map((fact) => (
              <div key={fact.name}>
                <dt class="code">{fact.name}</dt>
                <dd>
                  <bdi class="code">{fact.text}</bdi>
                </dd>
              </div>
            ))}
          </dl>
          {isCut && <p class="help">{t("jsonHasMore")}</p>}
          <details class="as-table">
            <summary>JSON</summary>
            <CodeText
              title={t("jsonOf", { address: name })}
              text={jsonOf(answer.context)}
              whole={JSON.stringify(answer.context, null, 2)}
            />
          </details>
        </>
      )}
    </section>
  )
}

interface SigningProps {
  readonly network: KnownNetwork
  readonly addresses: ReadonlyArray<string>
}

/** The data that a wallet needs to build and sign transactions of these addresses. */
const Contexts = ({ addresses, network: { id } }: SigningProps) => {
  const { reading, retry } = useReading(`${id} ${addresses.join(",")}`, (client, signal) =>
    client.transactions.context({ networks: { [id]: addresses } }, { signal })
  )
  if (reading.state === "failed") return <Failed problem={reading.problem} retry={retry} />
  if (reading.state === "waiting") return <Skeleton kind="chart" />
  const answers = new Map(Object.entries(reading.data[id] ?? {}))
  return (
    <>
      {addresses.map((address) => (
        <Context key={address} address={address} answer={answers.get(address)} />
      ))}
      <button type="button" class="quiet" onClick={retry}>
        {t("refresh")}
      </button>
    </>
  )
}

/** The maximum number of addresses shown at once. */
const maxSigning = 10

/** Selects the addresses that sign. They become the route, so that they can be stored as a link. */
const Signing = ({ addresses, network }: SigningProps) => {
  const route = addresses.join(" ")
  const [edited, setEdited] = useState({ route, text: route })
  const text = edited.route === route ? edited.text : route
  const submit = (event: Event) => {
    event.preventDefault()
    goTo({ view: "network", items: [network.id, ...addressTexts(text).slice(0, maxSigning)] })
  }
  return (
    <details class="developer" open={addresses.length > 0}>
      <summary>{t("signing")}</summary>
      <p id="signing-help" class="help">
        {t("signingHelp", { max: maxSigning })}
      </p>
      <form class="line" onSubmit={submit}>
        <input
          type="text"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          aria-label={t("signingAddresses")}
          aria-describedby="signing-help"
          placeholder={t("signingAddresses")}
          value={text}
          onInput={({ currentTarget }) => setEdited({ route, text: currentTarget.value })}
        />
        <button type="submit">{t("show")}</button>
      </form>
      {addresses.length > 0 && <Contexts network={network} addresses={addresses} />}
    </details>
  )
}

/** The newest block of a network, and its age if its time is known. */
const Newest = ({ network }: Pick<SigningProps, "network">) => {
  const { reading } = useReading(network.id, (client, signal) => client.blocks.newest(network.id, { signal }), true)
  if (reading.state !== "read") return <p class="label">{reading.state === "waiting" ? <Pending /> : t("noBlock")}</p>
  const { at, height } = reading.data
  return (
    <p class="label">
      {t(blockTitle(network))} {count(height)}
      {at === null ? "" : `, ${age(at * 1000, Date.now())}`}
    </p>
  )
}

/** The transaction fees of a network, and the data for building transactions; without a network, all networks. */
export const Network = ({ items: [id = "", ...addresses] }: ViewProps) => {
  const known = useStore(service)
  const { networks } = known
  const network = networkOf(known, id)
  if (network === undefined)
    return (
      <>
        <h1>{t("networks")}</h1>
        {networks.length === 0 && <NoNetworks rows={6} />}
        {networks.length > 0 && id !== "" && (
          <p class="problem" role="alert">
            {t("noNetwork", { name: sanitized(id) })}
          </p>
        )}
        {networks.length > 0 && <NetworkTable networks={networks} />}
      </>
    )
  return (
    <>
      <div class="network-head">
        <NetworkMark network={network.id} size="large" />
        <h1>{network.name}</h1>
        {hasBlocks(network) ? <Newest network={network} /> : <p class="label">{t("noBlock")}</p>}
        <p>
          <a href="#/network">{t("allNetworks")}</a> ·{" "}
          <a href={fragmentOf({ view: "status", items: [id] })}>{t("status")}</a>
        </p>
      </div>
      <h2>{t("feesNow")}</h2>
      <div class="fees">
        <Fees network={network} />
      </div>
      <Signing network={network} addresses={addresses.slice(0, maxSigning)} />
    </>
  )
}
