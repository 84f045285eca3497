import { useEffect, useMemo, useState } from "preact/hooks"
import type { components } from "../../client/Client.ts"
import { addressTexts } from "../addresses/addressTexts.ts"
import { CodeText } from "../parts/CodeText.tsx"
import { Failed } from "../parts/Failed.tsx"
import { IdInput } from "../parts/IdInput.tsx"
import { Missing } from "../parts/Missing.tsx"
import type { KnownNetwork } from "../state/knownNetworks.ts"
import { goTo } from "../state/navigation.ts"
import { fragmentOf } from "../state/route.ts"
import { useReading } from "../state/useReading.ts"
import { sanitized, shortened } from "../text/format.ts"
import { jsonOf } from "../text/request.ts"
import type { ViewProps } from "../views.tsx"
import { Fees } from "./Fees.tsx"
import { factsOf } from "./signing.ts"

type AddressContext = components["schemas"]["AddressContext"]

const Context = ({ address, answer }: { readonly address: string; readonly answer: AddressContext | undefined }) => {
  const { facts, isCut } = useMemo(() => factsOf(answer?.context ?? {}), [answer])
  const name = shortened(sanitized(address, 300))
  return (
    <section class="panel" aria-label={`Data for signing with ${name}`}>
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
          {isCut && <p class="help">The JSON has further members.</p>}
          <CodeText
            title={`JSON of ${name}`}
            text={jsonOf(answer.context)}
            whole={JSON.stringify(answer.context, null, 2)}
          />
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
const Signing = ({ addresses, network: { id } }: SigningProps) => {
  const { reading, retry } = useReading(`${id} ${addresses.join(",")}`, (client, signal) =>
    client.transactions.context({ networks: { [id]: addresses } }, { signal })
  )
  if (reading.state === "failed") return <Failed problem={reading.problem} retry={retry} />
  if (reading.state === "waiting") return <p>Loading …</p>
  const answers = new Map(Object.entries(reading.data[id] ?? {}))
  return (
    <>
      <p class="help">
        This data is soon outdated: send transactions that use it without delay. The service receives no key.
      </p>
      {addresses.map((address) => (
        <Context key={address} address={address} answer={answers.get(address)} />
      ))}
      <button type="button" onClick={retry}>
        Refresh
      </button>
    </>
  )
}

/** The maximum number of addresses shown at once. */
const maxSigning = 10

interface FormProps {
  readonly networks: ReadonlyArray<KnownNetwork>
  readonly id: string
  readonly addresses: ReadonlyArray<string>
}

/** Selects the network and addresses. They become the route, so that they can be stored as a link. */
const NetworkForm = ({ addresses, id, networks }: FormProps) => {
  const route = addresses.join(" ")
  const [chosen, setChosen] = useState(id)
  const [text, setText] = useState(route)
  useEffect(() => {
    setChosen(id)
    setText(route)
  }, [id, route])
  const submit = (event: Event) => {
    event.preventDefault()
    const wanted = chosen || networks[0]?.id
    if (wanted !== undefined) goTo({ view: "network", items: [wanted, ...addressTexts(text).slice(0, maxSigning)] })
  }
  return (
    <form class="panel" onSubmit={submit}>
      <div class="line">
        <label for="network">Network</label>
        <select
          id="network"
          value={chosen || networks[0]?.id}
          onChange={({ currentTarget }) => setChosen(currentTarget.value)}
        >
          {networks.map((network) => (
            <option key={network.id} value={network.id}>
              {network.name}
            </option>
          ))}
        </select>
        <label for="signing">Addresses that sign</label>
        <IdInput id="signing" value={text} setValue={setText} />
      </div>
      <p id="signing-help" class="help">
        With addresses (at most {maxSigning}), also shows the data for signing; without addresses, only the fees.
      </p>
    </form>
  )
}

/** The transaction fees of a network, and the data for building transactions. */
export const Network = ({ items: [id = "", ...addresses] }: ViewProps) => {
  const { reading, retry } = useReading("networks", (client, signal) => client.networks({ signal }))
  const networks = reading.state === "read" ? reading.data : []
  const network = networks.find((candidate) => candidate.id === id)
  const signing = addresses.slice(0, maxSigning)
  return (
    <>
      <h1>Network{network !== undefined && `: ${network.name}`}</h1>
      {reading.state === "waiting" && <p>Loading the networks …</p>}
      {reading.state === "failed" && <Failed problem={reading.problem} retry={retry} />}
      {reading.state === "read" && <NetworkForm networks={networks} id={network?.id ?? ""} addresses={signing} />}
      {id !== "" && reading.state === "read" && network === undefined && (
        <p class="problem" role="alert">
          There is no network {sanitized(id)}.
        </p>
      )}
      {network !== undefined && (
        <>
          <p>
            <a href={fragmentOf({ view: "status", items: [id] })}>Status of {network.name}</a>
          </p>
          <h2>Fees</h2>
          <Fees network={network} />
          {signing.length > 0 && (
            <>
              <h2>Data for signing</h2>
              <Signing network={network} addresses={signing} />
            </>
          )}
        </>
      )}
    </>
  )
}
