import { useEffect, useState } from "preact/hooks"
import { addressTexts } from "../addresses/addressTexts.ts"
import { IdInput } from "../parts/IdInput.tsx"
import type { KnownNetwork } from "../state/knownNetworks.ts"
import { goTo } from "../state/navigation.ts"

/** As many addresses as are shown at once. */
export const maxSigning = 10

interface FormProps {
  readonly networks: ReadonlyArray<KnownNetwork>
  readonly id: string
  readonly addresses: ReadonlyArray<string>
}

/** Which network is shown, and with which addresses: the route, so that it can be kept as a link. */
export const NetworkForm = ({ addresses, id, networks }: FormProps) => {
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
        With addresses, at most {maxSigning}, also what their transactions are built from; without any, the fees alone.
      </p>
    </form>
  )
}
