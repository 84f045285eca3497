import { useMemo, useState } from "preact/hooks"
import { Copy } from "../parts/Copy.tsx"
import { networkOf } from "../state/knownNetworks.ts"
import { networkName, service } from "../state/service.ts"
import { useStore } from "../state/useStore.ts"
import { listed, sanitized, shortened } from "../text/format.ts"
import { t } from "../text/language.ts"
import { codeOf } from "./code.ts"
import { notesOf, type ReceivingAddress } from "./options.ts"

const maxListed = 20

/** The code of an address. It is dark on light in each theme, as readers expect. */
const Code = ({ address }: { readonly address: string }) => {
  const { path, size } = useMemo(() => codeOf(address), [address])
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={t("codeOf", { address: shortened(address) })}
    >
      <path d={path} shape-rendering="crispEdges" />
    </svg>
  )
}

/** An own address as a code and as text, with the networks on which it receives. */
export const Receive = ({ addresses }: { readonly addresses: ReadonlyArray<ReceivingAddress> }) => {
  const known = useStore(service)
  const [chosen, setChosen] = useState(0)
  const shown = addresses[chosen] ?? addresses[0]
  if (shown === undefined) return <p class="help">{t("noReceiving")}</p>
  const { address, matches } = shown
  const nameOf = (network: string) => networkName(known, network)
  return (
    <section class="panel receive" aria-label={t("receive")}>
      <Code address={address} />
      <div>
        {addresses.length > 1 && (
          <select
            aria-label={t("address")}
            value={String(chosen)}
            onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}
          >
            {addresses.map((option, index) => (
              <option key={option.address} value={String(index)}>
                {shortened(option.address)}
              </option>
            ))}
          </select>
        )}
        <p>
          <bdi class="code">{address}</bdi>{" "}
          <Copy text={address} what={t("theAddress", { address: shortened(address) })} />
        </p>
        <p>
          {t("receivesOn", {
            networks: listed(
              matches.map(({ network }) => nameOf(network)),
              maxListed
            )
          })}
        </p>
        {notesOf(matches, [], nameOf).map((note) => (
          <p key={note} class="missing">
            {sanitized(note, 300)}
          </p>
        ))}
        {matches.some(({ network }) => networkOf(known, network)?.family === "evm") && (
          <p class="help">{t("receivesContract")}</p>
        )}
        <p class="help">{t("receiveHelp")}</p>
      </div>
    </section>
  )
}
