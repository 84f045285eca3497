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

/** A network whose address form a text fits. */
interface Match {
  readonly facts: AnyChain["facts"]
  readonly canonical: string
  readonly kind: AddressKind
  /** Empty where there is none. */
  readonly explorer: string
  /** Whole sentences for people; empty where there is nothing to say. */
  readonly note: string
}

const closed = ({ sunset }: AnyChain["facts"]) =>
  sunset === undefined ? [] : [`This network was shut down on ${sunset}.`]

const matchOf = ({ address, addressForm, facts }: AnyChain, text: string): ReadonlyArray<Match> =>
  Either.match(address(text), {
    onLeft: () => [],
    onRight: (canonical) => {
      const { kind, note } = addressForm?.(text) ?? plainAddress
      const explorer = kind === "xpub" ? "" : (facts.addressPage?.(canonical) ?? "")
      return [
        { facts, canonical, kind, explorer, note: [...closed(facts), ...(note === undefined ? [] : [note])].join(" ") }
      ]
    }
  })

/** Every one of these networks whose address form the text fits, in their order. Cannot fail; calls no upstream. */
const matchesOf = (networks: ReadonlyArray<AnyChain>, text: string): ReadonlyArray<Match> =>
  networks.flatMap((network) => matchOf(network, text))

const toWire = ({ canonical, explorer, facts, kind, note }: Match): AddressMatch => ({
  network: facts.id,
  canonical,
  kind,
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
