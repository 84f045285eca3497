import { useMemo } from "preact/hooks"
import type { components } from "../../client/Client.ts"
import { CodeText } from "../parts/CodeText.tsx"
import { Failed } from "../parts/Failed.tsx"
import { Missing } from "../parts/Missing.tsx"
import type { KnownNetwork } from "../state/knownNetworks.ts"
import { useReading } from "../state/useReading.ts"
import { foreign, shortened } from "../text/format.ts"
import { jsonOf } from "../text/request.ts"
import { factsOf } from "./signing.ts"

type AddressContext = components["schemas"]["AddressContext"]

const Context = ({ address, answer }: { readonly address: string; readonly answer: AddressContext | undefined }) => {
  const { facts, isCut } = useMemo(() => factsOf(answer?.context ?? {}), [answer])
  const name = shortened(foreign(address, 300))
  return (
    <section class="panel" aria-label={`What signing with ${name} needs`}>
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
          {isCut && <p class="help">There is more in the JSON.</p>}
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

/** What a wallet builds and signs transactions of these addresses from. */
export const Signing = ({ addresses, network: { id } }: SigningProps) => {
  const { reading, retry } = useReading(`${id} ${addresses.join(",")}`, (client, signal) =>
    client.transactions.context({ networks: { [id]: addresses } }, { signal })
  )
  if (reading.state === "failed") return <Failed problem={reading.problem} retry={retry} />
  if (reading.state === "waiting") return <p>Reading …</p>
  const answers = new Map(Object.entries(reading.data[id] ?? {}))
  return (
    <>
      <p class="help">
        Of this moment: what is built from it is to be sent soon. No key and no transaction is sent here.
      </p>
      {addresses.map((address) => (
        <Context key={address} address={address} answer={answers.get(address)} />
      ))}
      <button type="button" onClick={retry}>
        Read again
      </button>
    </>
  )
}
