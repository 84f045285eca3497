import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { gap } from "../../domain/history/Gap.ts"
import { Seconds } from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import type { FoundTransaction, ReadFailure } from "../Chain.ts"
import { confirming } from "../kit/holdings/tokenList.ts"
import { findTransaction as findAt } from "../kit/sending/findFirst.ts"
import type { Declarations } from "./declarations.ts"
import type { HistoryReader } from "./history.ts"
import type { TonProvider, TonProviders } from "./Provider.ts"
import * as TonAddress from "./TonAddress.ts"
import { parseHash } from "./TonTransactions.ts"

const Time = Schema.compose(Schema.NonNegativeInt, Seconds)

const maybe = Schema.NullishOr(Schema.String)

/** `/api/v3/transactions` of TON Center. */
const Message = Schema.Struct({ source: maybe, destination: maybe })
const Listed = Schema.Struct({
  transactions: Schema.NonEmptyArray(
    Schema.Struct({
      account: Schema.String,
      now: Time,
      trace_id: Schema.String,
      in_msg: Schema.NullishOr(Message),
      out_msgs: Schema.NullishOr(Schema.Array(Message))
    })
  )
})

/** `/v2/blockchain/transactions/{hash}` of TonAPI. */
const Account = Schema.NullishOr(Schema.Struct({ address: Schema.String }))
const SingleMessage = Schema.Struct({ source: Account, destination: Account })
const Single = Schema.Struct({
  account: Schema.Struct({ address: Schema.String }),
  utime: Time,
  in_msg: Schema.NullishOr(SingleMessage),
  out_msgs: Schema.NullishOr(Schema.Array(SingleMessage))
})

const decode = Schema.decodeUnknownEither(Schema.parseJson(Schema.Union(Listed, Single)))

const unreadable: ReadFailure = {
  reason: "bad_answer",
  message: "the indexer returned a transaction that cannot be read"
}

/** A transaction that an indexer returned. */
interface Seen {
  readonly at: Seconds
  /** The trace, which histories name by its first transaction, if the indexer says it. */
  readonly trace: string | undefined
  /** Its account, and those of its messages. */
  readonly accounts: ReadonlyArray<string | null | undefined>
}

const seenIn = (body: string): Either.Either<Seen, ReadFailure> =>
  Either.mapBoth(decode(body), {
    onLeft: () => unreadable,
    onRight: (found) => {
      if ("utime" in found) {
        const messages = [found.in_msg, ...(found.out_msgs ?? [])]
        const others = messages.flatMap((message) => [message?.source?.address, message?.destination?.address])
        return { at: found.utime, trace: undefined, accounts: [found.account.address, ...others] }
      }
      const [{ account, in_msg, now, out_msgs, trace_id }] = found.transactions
      const others = [in_msg, ...(out_msgs ?? [])].flatMap((message) => [message?.source, message?.destination])
      return { at: now, trace: trace_id, accounts: [account, ...others] }
    }
  })

/** Its place in the history of one of its accounts. */
interface Place {
  /** In canonical form. */
  readonly address: string
  readonly height: Seconds
  /** As histories name it. */
  readonly hash: string
}

/** Transactions of the same time, or within the tolerance of indexers, that may be above it. */
const limit = 50

const fromHistory =
  (history: HistoryReader) =>
  ({ address, hash, height }: Place): Effect.Effect<FoundTransaction, ReadFailure> =>
    Effect.flatMap(
      history({ address, limit, before: { height, last: hash, returned: 0 } }),
      ({ sources, transactions }) => {
        const transaction = transactions.find((each) => each.hash === hash)
        return transaction === undefined
          ? Effect.fail<ReadFailure>({ reason: "bad_answer", message: `${sources.join(", ")} does not list it` })
          : Effect.succeed({ transaction, sources, gaps: [] })
      }
    )

/** Histories that are read for one transaction at most. */
const maxAccounts = 3

/** Its places in the histories of its accounts. */
const placesOf = ({ accounts, at, trace }: Seen, hash: string): ReadonlyArray<Place> => {
  const named = Either.getOrElse(parseHash(trace ?? ""), () => hash)
  const parsed = accounts.flatMap((text) => Option.toArray(Either.getRight(TonAddress.parse(text ?? ""))))
  return [...new Set(parsed)].slice(0, maxAccounts).map((address) => ({ address, height: at, hash: named }))
}

const atIndexer = (provider: TonProvider, hash: string) =>
  Effect.gen(function* () {
    const byHash = yield* provider.transaction(hash)
    const { body, verdict } = byHash.verdict === "unknown" ? yield* provider.transactionOfMessage(hash) : byHash
    return verdict === "unknown" ? undefined : body
  })

/** Messages between other accounts of the trace are not those of its sender. */
const others = gap("transfers", "transfers between other accounts of the same trace", { isFinal: true })

/**
 * Looks up transactions, by their hash or that of their message, in the histories of their accounts; waits briefly for
 * decimals.
 */
export const findTransaction = (providers: TonProviders, history: HistoryReader, { confirmAll, list }: Declarations) =>
  confirming(found(providers, history), list, confirmAll)

const found = (providers: TonProviders, history: HistoryReader) => {
  const read = fromHistory(history)
  return (hash: string): Effect.Effect<FoundTransaction, ReadFailure> =>
    findAt(providers, (provider) => atIndexer(provider, hash)).pipe(
      Effect.flatMap((body) =>
        body === undefined
          ? Effect.succeed<FoundTransaction>({ transaction: undefined, sources: [], gaps: [] })
          : Effect.flatMap(seenIn(body), (seen) =>
              Effect.firstSuccessOf([...placesOf(seen, hash).map(read), Effect.fail(unreadable)])
            )
      ),
      Effect.map((found) =>
        found.transaction === undefined ? found : { ...found, gaps: [...found.gaps, others], ofTrace: true as const }
      ),
      span("Ton.transaction")
    )
}
