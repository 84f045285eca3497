import { age, count, foreign } from "../text/format.ts"
import { reasonOf } from "../text/reasons.ts"
import type { UpstreamHealth } from "./watch.ts"
import { budgetWords, circuitWords, stateWords } from "./words.ts"

const columns = ["Upstream", "Newest call", "Addresses", "Budget left", "Last good answer", "Newest failure"]

const Row = ({ now, upstream }: { readonly now: number; readonly upstream: UpstreamHealth }) => {
  const { budget, circuits, keyed, lastFailure, lastOkAt, name, state } = upstream
  return (
    <tr>
      <th scope="row">
        <bdi class="code">{foreign(name, 60)}</bdi>
        {keyed && <span class="detail">with a key</span>}
      </th>
      <td class={`standing ${state === "down" ? "fails" : state === "up" ? "works" : "absent"}`}>
        {stateWords[state]}
      </td>
      <td>{circuitWords(circuits)}</td>
      <td>{budgetWords(budget)}</td>
      <td>{lastOkAt === undefined ? "none yet" : age(lastOkAt, now)}</td>
      <td>{lastFailure === undefined ? "none" : `${reasonOf(lastFailure.reason)}, ${age(lastFailure.at, now)}`}</td>
    </tr>
  )
}

interface TableProps {
  readonly upstreams: ReadonlyArray<UpstreamHealth>
  /** ms */
  readonly now: number
}

/** Every upstream that is configured; those whose newest call failed come first. */
export const UpstreamTable = ({ now, upstreams }: TableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and by keyboard too
  <section class="scrolling" tabIndex={0} aria-label="Upstreams">
    <table class="sheet upstreams">
      <caption class="only-read">Upstreams, {count(upstreams.length)}</caption>
      <thead>
        <tr>
          {columns.map((title) => (
            <th scope="col" key={title}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {upstreams
          .toSorted((a, b) => Number(b.state === "down") - Number(a.state === "down"))
          .map((upstream) => (
            <Row key={upstream.name} upstream={upstream} now={now} />
          ))}
      </tbody>
    </table>
  </section>
)
