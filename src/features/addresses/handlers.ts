import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Chain } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import type { AddressMatch } from "../../contract/AddressesApi.ts"
import { Api } from "../../contract/Api.ts"
import { type AddressKind, plainAddress } from "../../domain/AddressForm.ts"

type AnyChain = Context.Tag.Service<Chain>

/** A network for which a text is a valid address. */
interface Match {
  readonly facts: AnyChain["facts"]
  readonly canonical: string
  readonly kind: AddressKind
  /** URL of the address at an explorer; may be empty. */
  readonly explorer: string
  /** Full sentences for people; may be empty. */
  readonly note: string
  readonly account: string | undefined
}

const closed = ({ sunset }: AnyChain["facts"]) =>
  sunset === undefined ? [] : [`This network was shut down on ${sunset}.`]

const matchOf = ({ address, addressForm, facts }: AnyChain, text: string): ReadonlyArray<Match> =>
  Either.match(address(text), {
    onLeft: () => [],
    onRight: (canonical) => {
      const { account, kind, note } = addressForm?.(text) ?? plainAddress
      const explorer = kind === "xpub" ? "" : (facts.addressPage?.(canonical) ?? "")
      const notes = [...closed(facts), ...(note === undefined ? [] : [note])].join(" ")
      return [{ facts, canonical, kind, explorer, note: notes, account }]
    }
  })

/** All networks for which the text is a valid address, in their order. Cannot fail; calls no upstream. */
const matchesOf = (networks: ReadonlyArray<AnyChain>, text: string): ReadonlyArray<Match> =>
  networks.flatMap((network) => matchOf(network, text))

const toWire = ({ account, canonical, explorer, facts, kind, note }: Match): AddressMatch => ({
  network: facts.id,
  canonical,
  kind,
  ...(account === undefined ? {} : { account }),
  ...(explorer === "" ? {} : { explorer }),
  ...(note === "" ? {} : { note })
})

export const layer = HttpApiBuilder.group(Api, "addresses", (handlers) =>
  Effect.map(Chains, ({ all }) =>
    handlers.handle("lookUp", ({ path: { text } }) =>
      Effect.map(all, (networks) => ({ input: text, matches: matchesOf(networks, text).map(toWire) }))
    )
  )
)
