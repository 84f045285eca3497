import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Transaction } from "../domain/Transaction.ts"
import type { Network, Unread } from "../networks/Network.ts"
import { Networks } from "../networks/Networks.ts"
import { Pricing } from "../price/Pricing.ts"
import { pricesUntil } from "../price/pricesUntil.ts"
import { requestDeadline } from "../settings/Deadline.ts"
import { TokenRegistry } from "../tokens/TokenRegistry.ts"
import { coinsOf, type Surroundings } from "./entries.ts"
import { type Label, labelling } from "./labels.ts"
import * as Reading from "./reading.ts"

/** Addresses by network id or alias, as a request has them. */
export type Wanted = Readonly<Record<string, ReadonlyArray<string>>>

/** The history of one address as it was asked for. */
export interface Told {
  /** Network and address as the client wrote them. */
  readonly name: string
  readonly text: string
  /** The newest first, each with its labels. */
  readonly transactions: ReadonlyArray<readonly [Transaction, ReadonlyArray<Label>]>
  readonly surroundings: Surroundings
  readonly sources: ReadonlyArray<string>
  readonly missing: ReadonlyArray<string>
  /** Why nothing, or nothing new, could be had. */
  readonly failure: Unread | undefined
}

/** The transactions of addresses. */
export class History extends Context.Tag("history/History")<
  History,
  {
    /**
     * The newest transactions of each address of the supported networks, in the order of the request. Cannot fail and ends
     * before the deadline: an address that could not be read says why.
     */
    readonly transactions: (wanted: Wanted, limit: number) => Effect.Effect<ReadonlyArray<Told>>
    /** The same, those of a network together, the quickest network first. */
    readonly stream: (wanted: Wanted, limit: number) => Stream.Stream<ReadonlyArray<Told>>
  }
>() {
  static readonly layer = Layer.scoped(
    History,
    Effect.gen(function* () {
      const networks = yield* Networks
      const pricing = yield* Pricing
      const registry = yield* TokenRegistry
      const limit = yield* requestDeadline
      // The rest is for the prices, and for writing the answer.
      const { lastRead, read } = yield* Reading.make(0.8 * limit)

      const waitsSince = ({ address, network }: Asked) =>
        Either.isLeft(address) ? 0 : lastRead(network, address.right)

      const one = Effect.fnUntraced(function* (asked: Asked, count: number) {
        const { address, network } = asked
        if (Either.isLeft(address)) return { ...asked, history: undefined, failure: malformed(address.left) }
        return { ...asked, ...(yield* read(network, address.right, count)) }
      })

      const told = Effect.fn("History.told")(function* (asked: ReadonlyArray<Asked>, count: number) {
        const until = (yield* Clock.currentTimeMillis) + 0.93 * limit
        const turns = asked
          .map((each, index) => ({ each, index, at: waitsSince(each) }))
          .sort((a, b) => a.at - b.at || a.index - b.index)
        const inTurn = yield* Effect.forEach(
          turns,
          ({ each, index }) => Effect.map(one(each, count), (had) => ({ ...had, index })),
          { concurrency: "unbounded" }
        )
        const reads = inTurn.sort((a, b) => a.index - b.index)
        const lists = yield* registry.lists
        const shown = reads.map((each) => ({
          ...each,
          tokens: lists.get(each.network.info.platform ?? ""),
          all: each.history?.transactions ?? []
        }))
        const coins = new Set(shown.flatMap(({ all, tokens }) => coinsOf(all.slice(0, count), tokens)))
        const found = yield* pricesUntil(pricing, [...coins], until)
        return shown.map(({ address, all, failure, history, name, network, text, tokens }): Told => {
          const label = labelling(
            all,
            recognising(network, address, text),
            tokens === undefined ? undefined : (token) => tokens.byAddress.has(token)
          )
          return {
            name,
            text,
            transactions: all.slice(0, count).map((transaction) => [transaction, label(transaction)]),
            surroundings: { info: network.info, tokens, prices: found },
            sources: history?.sources ?? [],
            missing: history?.missing ?? [failure?.message ?? ""],
            failure
          }
        })
      })

      return {
        transactions: Effect.fn("History.transactions")((wanted, count) => told(askedOf(wanted, networks.find), count)),
        stream: (wanted, count) =>
          Stream.fromIterable(Object.entries(wanted)).pipe(
            Stream.map(([name, texts]) => askedOf({ [name]: texts }, networks.find)),
            Stream.filter((asked) => asked.length > 0),
            Stream.mapEffect((asked) => told(asked, count), { concurrency: "unbounded", unordered: true })
          )
      }
    })
  )
}

interface Asked {
  readonly name: string
  readonly text: string
  readonly network: Context.Tag.Service<Network>
  readonly address: Either.Either<string, string>
}

/** Each spelling once. Networks that are not supported are skipped. */
const askedOf = (wanted: Wanted, find: (typeof Networks.Service)["find"]): ReadonlyArray<Asked> =>
  Object.entries(wanted).flatMap(([name, texts]) =>
    Option.match(find(name), {
      onNone: () => [],
      onSome: (network) => [...new Set(texts)].map((text) => ({ name, text, network, address: network.address(text) }))
    })
  )

/** Whether a party is the holder, in whatever spelling the network tells it; each is looked at once. */
const recognising = ({ address }: Asked["network"], holder: Asked["address"], text: string) => {
  const looked = new Map<string, boolean>()
  return (party: string): boolean => {
    const known = looked.get(party)
    if (known !== undefined) return known
    const is =
      party === text || Option.exists(Either.getRight(holder), (own) => Either.getOrNull(address(party)) === own)
    looked.set(party, is)
    return is
  }
}

const malformed = (message: string): Unread => ({ reason: "invalid_address", message })
