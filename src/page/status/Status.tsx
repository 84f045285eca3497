import { useEffect, useRef, useState } from "preact/hooks"
import { Icon } from "../parts/Icon.tsx"
import { Skeleton } from "../parts/lazy.tsx"
import { NetworkMark } from "../parts/NetworkMark.tsx"
import { Sheet } from "../parts/Sheet.tsx"
import type { KnownNetwork } from "../state/knownNetworks.ts"
import { currentRoute } from "../state/navigation.ts"
import { announce } from "../state/notices.ts"
import { fragmentOf } from "../state/route.ts"
import { promptForKey, session } from "../state/session.ts"
import { useReading } from "../state/useReading.ts"
import { useStore } from "../state/useStore.ts"
import { age, clock, counted, sanitized, share, wordText } from "../text/format.ts"
import { type TextKey, t } from "../text/language.ts"
import { reasonOf } from "../text/reasons.ts"
import type { ViewProps } from "../views.tsx"
import { type AbilityState, abilityState } from "./abilities.ts"
import {
  type AvailabilityReport,
  type Day,
  daysOf,
  type Health,
  readStatus,
  type StatusReading,
  successOf,
  type UpstreamHealth,
  unread
} from "./reports.ts"
import { abilityNames, budgetText, circuitText, failingIn, proposalsFor, stateKey } from "./standings.ts"

const shownDays = 90

/** Classes of a day by the share of calls that succeeded. */
const classes = [
  ["good", 0.99],
  ["fair", 0.9],
  ["poor", 0]
] as const

const classOf = (day: Day | undefined) => {
  const success = day == null ? undefined : successOf([day])
  return success === undefined ? "none" : (classes.find(([, least]) => success >= least)?.[0] ?? "poor")
}

interface StripProps {
  readonly report: AvailabilityReport | undefined
  /** The names of the sources. */
  readonly names: ReadonlyArray<string>
}

/** The last 90 days as bars, today at the right, and the share of calls that succeeded. Days without calls are empty. */
const AvailabilityStrip = ({ names, report }: StripProps) => {
  if (report === undefined) return <span class="strip" />
  const days = daysOf(report, names)
  const success = days === null ? undefined : successOf(days)
  if (days === null || success === undefined) return <span class="strip label">{t("neverCalled")}</span>
  const slots = Array.from({ length: shownDays }, (_, index) => days[index - shownDays + days.length])
  const pathOf = (name: string) =>
    slots.map((day, index) => (classOf(day) === name ? `M${4 * index} 0h3v20h-3z` : "")).join("")
  return (
    <span class="strip">
      <svg viewBox={`0 0 ${4 * shownDays} 20`} preserveAspectRatio="none" aria-hidden="true">
        {["none", "good", "fair", "poor"].map((name) => (
          <path key={name} class={name} d={pathOf(name)} />
        ))}
      </svg>
      <span class="number">
        {share(success)} <span class="only-read">{t("callsSucceeded")}</span>
        <span class="detail">{counted(slots.filter((day) => day != null).length, "ofDays")}</span>
      </span>
    </span>
  )
}

const upstreamColumns: ReadonlyArray<TextKey> = [
  "upstream",
  "latestCall",
  "last90Days",
  "addresses",
  "budgetLeft",
  "lastSuccess",
  "latestFailure"
]

/** Says that the operator switched a source off, with the operator's reason. */
const offText = (reason: string) => t("switchedOff", { reason: sanitized(reason, 300) })

interface UpstreamProps extends Pick<TableProps, "now" | "report"> {
  readonly upstream: UpstreamHealth
}

const UpstreamRow = ({ now, report, upstream }: UpstreamProps) => {
  const { budget, circuits, keyed, lastFailure, lastOkAt, name, state, switchedOff } = upstream
  return (
    <tr>
      <th scope="row">
        <bdi class="code">{sanitized(name, 60)}</bdi>
        {keyed && <span class="detail">{t("withKey")}</span>}
        {switchedOff !== undefined && <span class="detail down">{offText(switchedOff)}</span>}
      </th>
      <td>
        <span class={`dot ${stateKey(state)}`} /> {t(stateKey(state))}
      </td>
      <td>
        <AvailabilityStrip report={report} names={[name]} />
      </td>
      <td>{circuitText(circuits)}</td>
      <td>{budgetText(budget)}</td>
      <td>{lastOkAt === undefined ? t("never") : age(lastOkAt, now)}</td>
      <td>{lastFailure === undefined ? t("never") : `${reasonOf(lastFailure.reason)}, ${age(lastFailure.at, now)}`}</td>
    </tr>
  )
}

interface TableProps {
  readonly report: AvailabilityReport | undefined
  readonly upstreams: ReadonlyArray<UpstreamHealth>
  /** UNIX time in ms. */
  readonly now: number
}

/** Every configured upstream; upstreams whose latest call failed come first. */
const UpstreamTable = ({ now, report, upstreams }: TableProps) => (
  <Sheet kind="upstreams" caption={t("upstreams")} columns={upstreamColumns.map((key) => t(key))}>
    {upstreams
      .toSorted((a, b) => Number(b.state === "down") - Number(a.state === "down"))
      .map((upstream) => (
        <UpstreamRow key={upstream.name} upstream={upstream} now={now} report={report} />
      ))}
  </Sheet>
)

/** Each ability of a network: its upstreams in the order of use, or the reason why it is not available. */
const Abilities = ({ network: { abilities, id: network } }: { readonly network: KnownNetwork }) => (
  <div class="inside">
    <dl class="abilities">
      {[...abilityNames].map(([id, title]) => {
        const ability = abilities[id]
        const standing = abilityState(ability)
        return (
          <div key={id}>
            <dt>
              <span class={`dot ${standing}`} /> {t(title)}: {t(standing)}
            </dt>
            <dd>
              {ability.reason !== undefined && <p>{sanitized(ability.reason, 300)}</p>}
              {ability.upstreams.length > 0 && (
                <ol>
                  {ability.upstreams.map(({ circuits, keyed, name, state, switchedOff }) => (
                    <li key={name}>
                      <bdi class="code">{sanitized(name, 60)}</bdi>
                      {keyed && ` (${t("withKey")})`}: {t(stateKey(state))}, {circuitText(circuits)}
                      {switchedOff !== undefined && `, ${offText(switchedOff)}`}
                    </li>
                  ))}
                </ol>
              )}
            </dd>
          </div>
        )
      })}
    </dl>
    <a href={fragmentOf({ view: "network", items: [network] })}>{t("feesAndSigning")}</a>
  </div>
)

interface NetworkProps {
  readonly network: KnownNetwork
  readonly isChosen: boolean
  readonly report: AvailabilityReport | undefined
}

/** The abilities of a network as dots, and in words if one of them fails. Opens the details. */
const NetworkRow = ({ isChosen, network, report }: NetworkProps) => {
  const { abilities, name, sunset } = network
  const [isOpen, setIsOpen] = useState(isChosen)
  const states = [...abilityNames].map(([id, title]) => ({ title, state: abilityState(abilities[id]) }))
  const failing = states.filter(({ state }) => state === "fails")
  const element = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    if (isChosen) element.current?.scrollIntoView({ block: "nearest" })
  }, [isChosen])
  const counts = (["works", "untried"] as const).flatMap((wanted) => {
    const { length } = states.filter(({ state }) => state === wanted)
    return length === 0 ? [] : [counted(length, wanted === "works" ? "abilitiesWork" : "abilitiesUntried")]
  })
  const summary =
    failing.length > 0
      ? t("abilitiesFail", { list: failing.map(({ title }) => t(title)).join(", ") })
      : sunset === undefined
        ? counts.join(", ")
        : t("reason_sunset")
  return (
    <details ref={element} class="row" open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary class="network-status">
        <NetworkMark network={network.id} size="small" />
        <span class="title">
          <span class="symbol">{name}</span>
          <span class={failing.length > 0 ? "detail down" : "detail"}>{summary}</span>
        </span>
        <AvailabilityStrip report={report} names={report?.networks[network.id] ?? []} />
        <span class="dots" aria-hidden="true">
          {states.map(({ state, title }) => (
            <span key={title} class={`dot ${state}`} title={`${t(title)}: ${t(state)}`} />
          ))}
        </span>
      </summary>
      {isOpen && <Abilities network={network} />}
    </details>
  )
}

/** Networks of which an ability fails come first. */
const failsFirst = (networks: ReadonlyArray<KnownNetwork>): ReadonlyArray<KnownNetwork> =>
  networks.toSorted((a, b) => failingIn([b]).length - failingIn([a]).length)

/** The names of the columns of dots, above them. Screen readers have the names in the details of a network. */
const Heads = () => (
  <div class="network-status heads" aria-hidden="true">
    <span class="dots">
      {[...abilityNames.values()].map((title) => (
        <span key={title}>{t(title)}</span>
      ))}
    </span>
  </div>
)

const legend: ReadonlyArray<AbilityState> = ["works", "untried", "fails", "settable", "absent"]

interface NetworksProps extends Pick<NetworkProps, "report">, Pick<StatusReading, "networks"> {
  readonly chosen: string | undefined
}

const Networks = ({ chosen, networks, report }: NetworksProps) => (
  <section aria-label={t("networks")}>
    <h2>{t("networks")}</h2>
    <ul class="line legend-line">
      {legend.map((state) => (
        <li key={state}>
          <span class={`dot ${state}`} /> {t(state)}
        </li>
      ))}
    </ul>
    <Heads />
    <div class="rows">
      {failsFirst(networks).map((network) => (
        <NetworkRow key={network.id} network={network} isChosen={network.id === chosen} report={report} />
      ))}
    </div>
  </section>
)

/** Interval between a response and the next request, ms. */
const pause = 5_000

/** The status of the service, polled while the page is visible. */
const useStatus = (): StatusReading => {
  const { client } = useStore(session)
  const [reading, setReading] = useState(unread)
  useEffect(() => {
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
  }, [client])
  return reading
}

/** Variables that would enable further abilities. Renders nothing if none are left. */
const Proposals = ({ networks }: { readonly networks: ReadonlyArray<KnownNetwork> }) => {
  const proposals = proposalsFor(networks)
  if (proposals.length === 0) return null
  return (
    <details class="proposals">
      <summary>{counted(proposals.length, "proposals")}</summary>
      <ul>
        {proposals.map(({ abilities, network, reason, variables }) => (
          <li key={`${network} ${reason}`}>
            {t("abilityOf", { ability: abilities.join(", "), network })}: <code>{variables.join(", ")}</code>
            <span class="detail">{sanitized(reason, 300)}</span>
          </li>
        ))}
      </ul>
      <p class="help">{t("proposalsHelp")}</p>
    </details>
  )
}

/** The state of the service at a glance. */
const Summary = ({ health, failing }: { readonly health: Health; readonly failing: ReadonlyArray<string> }) => {
  const isWell = health.status === "ready" && failing.length === 0 && (health.store?.state ?? "up") === "up"
  return (
    <section class={`panel readiness ${isWell ? "up" : "down"}`} aria-label={t("status")}>
      <Icon name={isWell ? "done" : "alert"} />
      <div>
        <h1>
          {isWell ? t("allWell") : failing.length > 0 ? counted(failing.length, "abilitiesFailing") : t("notWell")}
        </h1>
        <p>
          {wordText("", health.status)}{" "}
          {health.store !== undefined && wordText("store_", health.store.state, { kind: sanitized(health.store.kind) })}{" "}
          {health.workers !== undefined && counted(health.workers, "processes")}
        </p>
        {failing.length > 0 && <p>{failing.slice(0, 12).join(", ")}</p>}
      </div>
    </section>
  )
}

/** Announces new failures and recoveries, but not the state when the view was opened. */
const useAnnouncements = (failing: ReadonlyArray<string>, isRead: boolean) => {
  const before = useRef<ReadonlyArray<string>>(undefined)
  const name = failing.join(", ")
  useEffect(() => {
    if (!isRead) return
    if (before.current !== undefined)
      announce(failing.length === 0 ? t("allWell") : `${counted(failing.length, "abilitiesFailing")} ${name}`)
    before.current = failing
  }, [name, isRead])
}

const Content = ({ chosen, reading }: { readonly chosen: string | undefined; readonly reading: StatusReading }) => {
  const { at, health, networks } = reading
  const failing = failingIn(networks)
  const availability = useReading("availability", (client, signal) => client.status.availability({ signal }), true)
  const report = availability.reading.state === "read" ? availability.reading.data : undefined
  useAnnouncements(failing, at !== undefined)
  return (
    <>
      {health === undefined ? <h1 class="only-read">{t("status")}</h1> : <Summary health={health} failing={failing} />}
      {chosen !== undefined && networks.length > 0 && !networks.some(({ id }) => id === chosen) && (
        <p class="problem">{t("noNetwork", { name: sanitized(chosen) })}</p>
      )}
      {networks.length > 0 && <Networks key={chosen} networks={networks} chosen={chosen} report={report} />}
      {health !== undefined && (
        <>
          <h2>{t("upstreams")}</h2>
          <UpstreamTable upstreams={health.upstreams} now={at ?? Date.now()} report={report} />
        </>
      )}
      <Proposals networks={networks} />
    </>
  )
}

/** The current state of abilities and their upstreams. */
export const Status = ({ items: [chosen] }: ViewProps) => {
  const reading = useStatus()
  const { at, problem } = reading
  return (
    <>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem} {at !== undefined && t("dataOf", { time: clock(at / 1000) })}
        </p>
      )}
      {at === undefined && problem === undefined && <Skeleton kind="line" rows={6} />}
      <Content chosen={chosen} reading={reading} />
    </>
  )
}
