import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { tron } from "../../catalogue/tron.ts"
import type { Token } from "../../domain/Token.ts"
import { newestFirst } from "../../domain/Transaction.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import { requestDeadline } from "../../settings/Deadline.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import { Chain, type Holding } from "../Chain.ts"
import { join } from "../mergePaged.ts"
import { follow, invalidToken, missingTokens, unread, unregistered } from "../tokenList.ts"
import * as Client from "./Client.ts"
import * as Holdings from "./Holdings.ts"
import { toTransaction } from "./history.ts"
import * as TronAddress from "./TronAddress.ts"

// TRX and TRC-20 tokens through TronGrid; Client.ts names the documents. TRX that is staked is not part of a balance.

const { platform } = tron

/** A call of more contracts may take a node longer than it lets a contract run. */
const questionsPerCall = 500

const make = Effect.gen(function* () {
  const client = yield* Client.make
  const historyTime = Deadline.make(yield* requestDeadline).share("read")
  const followed = yield* follow(
    {
      platform,
      canonical: (address) => Either.getRight(TronAddress.parse(address))
    },
    [client.name]
  )
  const targetsOf = targetsOnce()

  /** From the index, where Multicall3 could not be asked: it costs a call for each address. */
  const indexed = (address: string, tokens: ReadonlyArray<Holdings.Target>) =>
    Effect.map(client.indexed(address), (account) => Holdings.fromIndex(account, tokens))

  const holdings: Chain["Type"]["holdings"] = (addresses) =>
    Effect.gen(function* () {
      const known = yield* followed.list
      const tokens = Option.match(known, { onNone: () => [], onSome: targetsOf })
      const asked = addresses.flatMap((address) => Holdings.questions(address, tokens))
      const chunks = yield* each(Arr.chunksOf(asked, questionsPerCall), (chunk) =>
        Effect.map(Effect.either(client.balances(chunk)), (answer) =>
          chunk.map((_, index) => Either.map(answer, (amounts) => amounts[index] ?? Option.none()))
        )
      )
      const answers = chunks.flat()
      const width = tokens.length + 1
      const accounts = yield* Effect.forEach(
        addresses,
        (address, index) => {
          const own = Either.all(answers.slice(index * width, (index + 1) * width))
          const read = Either.flatMap(own, (amounts) =>
            Either.fromOption(Holdings.fromAnswers(tokens, amounts), () => noBalance)
          )
          const settled = Either.isLeft(read) && isVerdict(read.left) ? indexed(address, tokens) : read
          return Effect.either(Effect.mapError(settled, unread))
        },
        { concurrency: 8 }
      )
      return { addresses: accounts, missing: missingTokens(known) }
    }).pipe(span("Tron.holdings", { attributes: { addresses: addresses.length } }))

  /** An account that was never activated is an empty object, as a wrong answer may be: zero is asked for once more. */
  const trx = (address: string) =>
    Effect.gen(function* () {
      const balance = yield* client.trx(address)
      if (balance > 0n) return balance
      const [confirmed = Option.none()] = yield* client.balances(Holdings.questions(address, []))
      return yield* Effect.mapError(confirmed, () => noBalance)
    })

  const holding: Chain["Type"]["holding"] = (address, text) =>
    Effect.gen(function* () {
      if (Option.isNone(text)) return native(yield* trx(address))
      const token = yield* Either.mapLeft(TronAddress.parse(text.value), invalidToken)
      const registered = Option.flatMapNullable(yield* followed.list, (known) => known.byAddress.get(token))
      const asset = Option.match(registered, {
        onSome: (known): Effect.Effect<Token, UpstreamError> => Effect.succeed(known),
        onNone: () => Effect.map(client.decimals(token), unregistered(token))
      })
      const [amount, of] = yield* Effect.all([client.balanceOf(address, token), asset], { concurrency: 2 })
      return { asset: of, amount: Either.right(amount) }
    }).pipe(Effect.mapError(unread))

  /** Transactions and transfers of TRC-20 tokens are two lists, of which each has what the other lacks. */
  const history: Chain["Type"]["history"] = ({ address, limit, since }) =>
    join(client.lists(address, since), { limit, within: historyTime }).pipe(
      Effect.map(({ groups, missing, more }) => ({
        transactions: groups.map((group) => toTransaction(address, group)).sort(newestFirst),
        more,
        sources: [client.name],
        missing
      })),
      Effect.mapError(unread),
      span("Tron.history")
    )

  return {
    facts: tron,
    address: TronAddress.parse,
    meansNative: TronAddress.isZero,
    batchSize: 25,
    holdings,
    holding,
    history,
    abilities: Effect.map(followed.abilities, (served) => ({ ...served, history: Either.right([client.name]) }))
  }
})

export const layer = Layer.effect(Chain, make)

/** Decodes the addresses of a list once, however often it is asked for. */
const targetsOnce = () => {
  let last: { readonly of: TokenList; readonly targets: ReadonlyArray<Holdings.Target> } | undefined
  return (of: TokenList) => {
    if (last?.of !== of) last = { of, targets: Holdings.targets(of, tron.native.coinId) }
    return last.targets
  }
}

/** About the question, too large or not to be run, and not about a host that cannot be reached or wants a rest. */
const isVerdict = ({ final, reason }: UpstreamError) => final === true || reason === "bad_answer"

const native = (sun: bigint): Holding => ({ asset: "native", amount: Either.right(sun) })

const noBalance = new UpstreamError({ upstream: "trongrid", reason: "bad_answer", detail: "returned no balance" })
