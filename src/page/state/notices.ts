import { failingNetworks } from "../status/standings.ts"
import { t } from "../text/language.ts"
import { announce } from "./announcement.ts"
import type { KnownNetwork } from "./knownNetworks.ts"
import { service } from "./service.ts"
import { makeStore } from "./store.ts"

/** A network that fails, or works again, since the page was opened. */
export interface Notice {
  readonly network: KnownNetwork
  readonly isFailing: boolean
}

/** The notices that the user has not closed, one per network. */
export const notices = makeStore<ReadonlyArray<Notice>>([])

export const textOfNotice = ({ isFailing, network: { name } }: Notice): string =>
  t(isFailing ? "networkFails" : "networkBack", { network: name })

export const closeNotice = (closed: Notice) => notices.set(notices.get().filter((notice) => notice !== closed))

let before: ReadonlySet<string> = new Set()

service.subscribe(() => {
  const { networks } = service.get()
  const failing = new Set(failingNetworks(networks).map(({ id }) => id))
  const changed = networks.filter(({ id }) => failing.has(id) !== before.has(id))
  before = failing
  if (changed.length === 0) return
  const found = changed.map((network): Notice => ({ network, isFailing: failing.has(network.id) }))
  const ids = new Set(changed.map(({ id }) => id))
  notices.set([...notices.get().filter(({ network }) => !ids.has(network.id)), ...found])
  announce(found.map(textOfNotice).join(" "))
})
