import type { KnownNetwork } from "../state/knownNetworks.ts"
import { fragmentOf } from "../state/route.ts"
import { foreign } from "../text/format.ts"
import { abilityNames, standingOf, standingWords } from "./standings.ts"

interface MatrixProps {
  readonly networks: ReadonlyArray<KnownNetwork>
  /** The network whose upstreams are shown below. */
  readonly chosen: string | undefined
}

/** Networks and abilities; the name of a network leads to what is behind its abilities. */
export const Matrix = ({ chosen, networks }: MatrixProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and by keyboard too
  <section class="scrolling" tabIndex={0} aria-label="Networks and what works on them">
    <table class="sheet">
      <caption class="only-read">Networks and what works on them</caption>
      <thead>
        <tr>
          <th scope="col">Network</th>
          {[...abilityNames].map(([name, title]) => (
            <th scope="col" key={name}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {networks.map(({ abilities, id, name }) => (
          <tr key={id}>
            <th scope="row">
              <a
                href={fragmentOf({ view: "status", items: id === chosen ? [] : [id] })}
                aria-current={id === chosen ? "true" : undefined}
              >
                {name}
              </a>
            </th>
            {[...abilityNames.keys()].map((ability) => {
              const standing = standingOf(abilities[ability])
              const { reason } = abilities[ability]
              return (
                <td key={ability} class={`standing ${standing}`} title={reason && foreign(reason, 300)}>
                  {standingWords[standing]}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
