import { useEffect, useRef } from "preact/hooks"
import type { KnownNetwork } from "../state/knownNetworks.ts"
import { fragmentOf } from "../state/route.ts"
import { foreign } from "../text/format.ts"
import { abilityNames, standingOf, standingWords } from "./standings.ts"
import { circuitWords, stateWords } from "./words.ts"

/** Each ability of a network: its upstreams in the order of their use, or why it is not there. */
export const NetworkPanel = ({ network: { abilities, id: network, name } }: { readonly network: KnownNetwork }) => {
  const panel = useRef<HTMLElement>(null)
  // It is below the table in which it was chosen.
  useEffect(() => panel.current?.focus(), [network])
  return (
    <section ref={panel} class="panel" tabIndex={-1} aria-label={`Abilities of ${name}`}>
      <h2>{name}</h2>
      <p>
        <a href={fragmentOf({ view: "network", items: [network] })}>Fees, and what signing needs</a>
      </p>
      <dl class="abilities">
        {[...abilityNames].map(([id, title]) => {
          const ability = abilities[id]
          const standing = standingOf(ability)
          return (
            <div key={id}>
              <dt>
                {title}: <span class={`standing ${standing}`}>{standingWords[standing]}</span>
              </dt>
              <dd>
                {ability.reason !== undefined && <p>{foreign(ability.reason, 300)}</p>}
                {ability.upstreams.length > 0 && (
                  <ol>
                    {ability.upstreams.map(({ circuits, keyed, name: upstream, state }) => (
                      <li key={upstream}>
                        <span class="code">{upstream}</span>
                        {keyed && " (with a key)"}: {stateWords[state]}, {circuitWords(circuits)}
                      </li>
                    ))}
                  </ol>
                )}
              </dd>
            </div>
          )
        })}
      </dl>
    </section>
  )
}
