import { useEffect, useRef, useState } from "preact/hooks"
import { announce } from "../state/announcement.ts"
import type { KnownNetwork } from "../state/knownNetworks.ts"
import { currentRoute } from "../state/navigation.ts"
import { fragmentOf } from "../state/route.ts"
import { promptForKey, session } from "../state/session.ts"
import { useStore } from "../state/store.ts"
import { age, count, counted, sanitized } from "../text/format.ts"
import { reasonOf } from "../text/reasons.ts"
import type { ViewProps } from "../views.tsx"
import { abilityNames, abilityState, abilityTexts, failingIn, proposalsFor } from "./standings.ts"
import { type Health, readStatus, type StatusReading, type UpstreamHealth, unread } from "./watch.ts"
import { budgetText, circuitText, stateTexts } from "./words.ts"

const columns = ["Upstream", "Latest call", "Addresses", "Budget left", "Last success", "Latest failure"]

const Row = ({ now, upstream }: { readonly now: number; readonly upstream: UpstreamHealth }) => {
  const { budget, circuits, keyed, lastFailure, lastOkAt, name, state } = upstream
  return (
    <tr>
      <th scope="row">
        <bdi class="code">{sanitized(name, 60)}</bdi>
        {keyed && <span class="detail">with an API key</span>}
      </th>
      <td class={`standing ${state === "down" ? "fails" : state === "up" ? "works" : "absent"}`}>
        {stateTexts[state]}
      </td>
      <td>{circuitText(circuits)}</td>
      <td>{budgetText(budget)}</td>
      <td>{lastOkAt === undefined ? "none yet" : age(lastOkAt, now)}</td>
      <td>{lastFailure === undefined ? "none" : `${reasonOf(lastFailure.reason)}, ${age(lastFailure.at, now)}`}</td>
    </tr>
  )
}

interface TableProps {
  readonly upstreams: ReadonlyArray<UpstreamHealth>
  /** UNIX time in ms. */
  readonly now: number
}

/** Every configured upstream; upstreams whose latest call failed come first. */
const UpstreamTable = ({ now, upstreams }: TableProps) => (
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

interface MatrixProps {
  readonly networks: ReadonlyArray<KnownNetwork>
  /** The network whose upstreams are shown below. */
  readonly chosen: string | undefined
}

/** Table of networks and abilities; the name of a network opens the upstreams of its abilities. */
const Matrix = ({ chosen, networks }: MatrixProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and by keyboard too
  <section class="scrolling" tabIndex={0} aria-label="Networks and their abilities">
    <table class="sheet">
      <caption class="only-read">Networks and their abilities</caption>
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
              const standing = abilityState(abilities[ability])
              const { reason } = abilities[ability]
              return (
                <td key={ability} class={`standing ${standing}`} title={reason && sanitized(reason, 300)}>
                  {abilityTexts[standing]}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

/** Each ability of a network: its upstreams in the order of use, or the reason why it is not available. */
const NetworkPanel = ({ network: { abilities, id: network, name } }: { readonly network: KnownNetwork }) => {
  const panel = useRef<HTMLElement>(null)
  // The panel is below the table with the selected network.
  useEffect(() => panel.current?.focus(), [network])
  return (
    <section ref={panel} class="panel" tabIndex={-1} aria-label={`Abilities of ${name}`}>
      <h2>{name}</h2>
      <p>
        <a href={fragmentOf({ view: "network", items: [network] })}>Fees and data for signing</a>
      </p>
      <dl class="abilities">
        {[...abilityNames].map(([id, title]) => {
          const ability = abilities[id]
          const standing = abilityState(ability)
          return (
            <div key={id}>
              <dt>
                {title}: <span class={`standing ${standing}`}>{abilityTexts[standing]}</span>
              </dt>
              <dd>
                {ability.reason !== undefined && <p>{sanitized(ability.reason, 300)}</p>}
                {ability.upstreams.length > 0 && (
                  <ol>
                    {ability.upstreams.map(({ circuits, keyed, name: upstream, state }) => (
                      <li key={upstream}>
                        <span class="code">{upstream}</span>
                        {keyed && " (with an API key)"}: {stateTexts[state]}, {circuitText(circuits)}
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

/** Interval between a response and the next request, ms. */
const pause = 5_000

/** The status of the service, polled while the page is visible. */
const useStatus = (): StatusReading => {
  const { client, key } = useStore(session)
  const [reading, setReading] = useState(unread)
  useEffect(() => {
    if (key !== "fine") return
    const controller = new AbortController()
    const { signal } = controller
    let latest = unread
    let timer: ReturnType<typeof setTimeout> | undefined
    let isReading = false

    const read = async () => {
      clearTimeout(timer)
      if (isReading || document.hidden) return
      isReading = true
      latest = await readStatus(client, latest, promptForKey(client), signal)
      isReading = false
      if (signal.aborted) return
      setReading(latest)
      timer = setTimeout(() => void read(), pause)
    }

    document.addEventListener("visibilitychange", read, { signal })
    // Opening a route clears the requests below the view, so they are sent again.
    const unsubscribe = currentRoute.subscribe(() => {
      if (currentRoute.get().view === "status") void read()
    })
    void read()
    return () => {
      unsubscribe()
      controller.abort()
      clearTimeout(timer)
    }
  }, [client, key])
  return reading
}

/** Variables that would enable further abilities. Renders nothing if none are left. */
const Proposals = ({ networks }: { readonly networks: ReadonlyArray<KnownNetwork> }) => {
  const proposals = proposalsFor(networks)
  if (proposals.length === 0) return null
  return (
    <section class="panel proposals" aria-label="Abilities that the operator can enable">
      <h2>Abilities that the operator can enable</h2>
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
            <span class="detail">{sanitized(reason, 300)}</span>
          </li>
        ))}
      </ul>
      <p class="help">These environment variables are read when the service starts.</p>
    </section>
  )
}

const readiness: Readonly<Record<Health["status"], string>> = {
  ready: "The service is ready.",
  starting: "The service is starting: it is not ready yet.",
  stopping: "The service is stopping."
}

const stores: Readonly<Record<NonNullable<Health["store"]>["state"], string>> = {
  up: "works",
  "read-only": "cannot be written",
  down: "cannot be reached"
}

/** The state of the service in one paragraph. */
const Summary = ({ health, failing }: { readonly health: Health; readonly failing: number }) => (
  <p class="readiness">
    <strong>{readiness[health.status]}</strong>{" "}
    {health.store !== undefined && `The store (${sanitized(health.store.kind)}) ${stores[health.store.state]}. `}
    {health.workers !== undefined && `${counted(health.workers, "process", "processes")} serve. `}
    {failing === 0 ? "No ability fails at present." : `${counted(failing, "ability", "abilities")} fail at present.`}
  </p>
)

/** Announces new failures and recoveries, but not the state when the view was opened. */
const useAnnouncements = (failing: ReadonlyArray<string>, isRead: boolean) => {
  const before = useRef<ReadonlyArray<string>>(undefined)
  const name = failing.join(", ")
  useEffect(() => {
    if (!isRead) return
    if (before.current !== undefined)
      announce(failing.length === 0 ? "Everything works again." : `${count(failing.length)} failing: ${name}.`)
    before.current = failing
  }, [name, isRead])
}

const Content = ({ chosen, reading }: { readonly chosen: string | undefined; readonly reading: StatusReading }) => {
  const { at, health, networks } = reading
  const failing = failingIn(networks)
  const network = networks.find(({ id }) => id === chosen)
  useAnnouncements(failing, at !== undefined)
  return (
    <>
      {health !== undefined && <Summary health={health} failing={failing.length} />}
      <Matrix networks={networks} chosen={network?.id} />
      {network !== undefined && <NetworkPanel network={network} />}
      {chosen !== undefined && networks.length > 0 && network === undefined && (
        <p class="problem">There is no network {sanitized(chosen)}.</p>
      )}
      <Proposals networks={networks} />
      {health !== undefined && (
        <>
          <h2>Upstreams</h2>
          <UpstreamTable upstreams={health.upstreams} now={at ?? Date.now()} />
        </>
      )}
    </>
  )
}

/** The current state of abilities and their upstreams. */
export const Status = ({ items: [chosen] }: ViewProps) => {
  const reading = useStatus()
  const { at, problem } = reading
  return (
    <>
      <h1>Status</h1>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
          {at !== undefined &&
            ` The data shown was read at ${new Date(at).toLocaleTimeString("en", { hour12: false })}.`}
        </p>
      )}
      {at === undefined && problem === undefined && <p>Loading …</p>}
      <Content chosen={chosen} reading={reading} />
    </>
  )
}
