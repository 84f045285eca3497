import { failingNetworks } from "../status/abilities.ts"
import { listed } from "../text/format.ts"
import { t } from "../text/language.ts"
import type { KnownNetwork } from "./knownNetworks.ts"
import { service } from "./service.ts"
import { makeStore } from "./store.ts"

/** Text for screen readers, not visible on the page. */
export const announcement = makeStore("")

export const announce = (text: string) => announcement.set(text)

/** Networks that fail, or work again, since the page was opened. */
export interface Notice {
  readonly networks: ReadonlyArray<KnownNetwork>
  readonly isFailing: boolean
}

/** The notices that the user has not closed, at most one of each kind. */
export const notices = makeStore<ReadonlyArray<Notice>>([])

export const namesIn = ({ networks }: Notice): string =>
  listed(
    networks.map(({ name }) => name),
    3
  )

export const textOfNotice = (notice: Notice): string =>
  t(notice.isFailing ? "networkFails" : "networkBack", { network: namesIn(notice), count: notice.networks.length })

export const closeNotice = (closed: Notice) => notices.set(notices.get().filter((notice) => notice !== closed))

const noticesOf = (networks: ReadonlyArray<KnownNetwork>, failing: ReadonlySet<string>): ReadonlyArray<Notice> =>
  [true, false]
    .map((isFailing) => ({ isFailing, networks: networks.filter(({ id }) => failing.has(id) === isFailing) }))
    .filter((notice) => notice.networks.length > 0)

let before: ReadonlySet<string> = new Set()

service.subscribe(() => {
  const { networks } = service.get()
  const failing = new Set(failingNetworks(networks).map(({ id }) => id))
  const changed = networks.filter(({ id }) => failing.has(id) !== before.has(id))
  before = failing
  if (changed.length === 0) return
  const others = notices
    .get()
    .flatMap((notice) => notice.networks.filter(({ id }) => changed.every((network) => network.id !== id)))
  notices.set(noticesOf([...others, ...changed], failing))
  announce(noticesOf(changed, failing).map(textOfNotice).join(" "))
})
