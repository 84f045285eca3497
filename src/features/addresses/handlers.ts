import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Arr from "effect/Array"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Chain } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import type { AddressMatch } from "../../contract/AddressesApi.ts"
import { Api } from "../../contract/Api.ts"
import { type AddressKind, plainAddress } from "../../domain/AddressForm.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { each } from "../../kernel/each.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { guarded } from "../reading.ts"

type AnyChain = Context.Tag.Service<Chain>

/** A network for which a text is a valid address. */
interface Match {
  readonly network: AnyChain
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

const matchOf = (network: AnyChain, text: string): ReadonlyArray<Match> => {
  const { address, addressForm, facts } = network
  return Either.match(address(text), {
    onLeft: () => [],
    onRight: (canonical) => {
      const { account, kind, note } = addressForm?.(text) ?? plainAddress
      const explorer = kind === "xpub" ? "" : (facts.addressPage?.(canonical) ?? "")
      const notes = [...closed(facts), ...(note === undefined ? [] : [note])].join(" ")
      return [{ network, canonical, kind, explorer, note: notes, account }]
    }
  })
}

/** Whether a problem says more than which form an address has: the text resembles one. */
const isSpecific = (problem: string) => /mistyped|missing|truncated|test network|EIP-3770/.test(problem)

/** Why a text matches no network, if it resembles an address. */
const reasonOf = (all: ReadonlyArray<AnyChain>, text: string): { readonly reason?: string } => {
  const problems = all.flatMap(({ address }) => Either.match(address(text), { onLeft: Arr.of, onRight: () => [] }))
  const reason = problems.find(isSpecific)
  return reason === undefined ? {} : { reason }
}

const toWire = ({ account, canonical, explorer, kind, network, note }: Match): AddressMatch => ({
  network: network.facts.id,
  canonical,
  kind,
  ...(account === undefined ? {} : { account }),
  ...(explorer === "" ? {} : { explorer }),
  ...(note === "" ? {} : { note })
})

/** The match with the delegation of its account, on networks that have delegations. Cannot fail. */
const withDelegate = (found: Match, within: number): Effect.Effect<AddressMatch> => {
  const { canonical, network } = found
  const match = toWire(found)
  if (network.facts.family !== "evm" || network.recipient === undefined) return Effect.succeed(match)
  return Effect.match(guarded(network, within, network.recipient(canonical)), {
    onFailure: ({ message, reason }) => ({ ...match, error: message, errorCode: reason }),
    onSuccess: ({ delegatedTo = null }) => ({ ...match, delegatedTo })
  })
}

export const layer = HttpApiBuilder.group(Api, "addresses", (handlers) =>
  Effect.gen(function* () {
    const { all } = yield* Chains
    const deadline = Deadline.make(yield* requestDeadline)
    return handlers.handle("lookUp", ({ path: { text }, urlParams: { detail = false } }) =>
      Effect.gen(function* () {
        const networks = yield* all
        const found = networks.flatMap((network) => matchOf(network, text))
        const within = deadline.share("read")
        return {
          input: text,
          matches: detail ? yield* each(found, (match) => withDelegate(match, within)) : found.map(toWire),
          ...(found.length === 0 ? reasonOf(networks, text) : {})
        }
      })
    )
  })
)
