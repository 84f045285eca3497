import type { KnownNetwork } from "../state/knownNetworks.ts"
import { foreign } from "../text/format.ts"
import { proposalsFor } from "./standings.ts"

/** What the operator could set to switch more on; nothing where everything is set. */
export const Proposals = ({ networks }: { readonly networks: ReadonlyArray<KnownNetwork> }) => {
  const proposals = proposalsFor(networks)
  if (proposals.length === 0) return null
  return (
    <section class="panel proposals" aria-label="What the operator can switch on">
      <h2>What the operator can switch on</h2>
      <ul>
        {proposals.map(({ abilities, network, reason, variables }) => (
          <li key={`${network} ${reason}`}>
            {abilities.join(", ")} of {network}:{" "}
            {variables.map((variable, index) => (
              <span key={variable}>
                {index > 0 && " or "}
                <code>{variable}</code>
              </span>
            ))}
            <span class="detail">{foreign(reason, 300)}</span>
          </li>
        ))}
      </ul>
      <p class="help">These are variables of the environment, read when the service starts.</p>
    </section>
  )
}
