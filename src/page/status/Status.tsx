import { useEffect, useRef } from "preact/hooks"
import { announce } from "../state/announcement.ts"
import { count, counted, foreign } from "../text/format.ts"
import type { ViewProps } from "../views.tsx"
import { Matrix } from "./Matrix.tsx"
import { NetworkPanel } from "./NetworkPanel.tsx"
import { Proposals } from "./Proposals.tsx"
import { failingIn } from "./standings.ts"
import { UpstreamTable } from "./UpstreamTable.tsx"
import { useStatus } from "./useStatus.ts"
import type { Health, StatusReading } from "./watch.ts"

const readiness: Readonly<Record<Health["status"], string>> = {
  ready: "The service is ready.",
  starting: "The service is starting: it cannot serve yet.",
  stopping: "The service is stopping."
}

const stores: Readonly<Record<NonNullable<Health["store"]>["state"], string>> = {
  up: "works",
  "read-only": "cannot be written",
  down: "cannot be reached"
}

/** The service itself in one paragraph. */
const Summary = ({ health, failing }: { readonly health: Health; readonly failing: number }) => (
  <p class="readiness">
    <strong>{readiness[health.status]}</strong>{" "}
    {health.store !== undefined && `The store (${foreign(health.store.kind)}) ${stores[health.store.state]}. `}
    {health.workers !== undefined && `${counted(health.workers, "process", "processes")} serve. `}
    {failing === 0 ? "No ability fails at present." : `${counted(failing, "ability", "abilities")} fail at present.`}
  </p>
)

/** Says what begins to fail and what is over; nothing of what was so when the view was opened. */
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
        <p class="problem">There is no network {foreign(chosen)}.</p>
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

/** What works at present, and what is behind it. */
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
            ` What is shown was read at ${new Date(at).toLocaleTimeString("en", { hour12: false })}.`}
        </p>
      )}
      {at === undefined && problem === undefined && <p>Reading …</p>}
      <Content chosen={chosen} reading={reading} />
    </>
  )
}
