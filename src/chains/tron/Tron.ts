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
import { requestDeadline } from "../../settings/variables.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import { Chain, type Holding } from "../Chain.ts"
import * as Contexts from "../Contexts.ts"
import { join } from "../mergePaged.ts"
import { follow, invalidToken, missingTokens, unread, unregistered } from "../tokenList.ts"
import * as Breakdown from "./Breakdown.ts"
import * as Client from "./Client.ts"
import * as Fees from "./Fees.ts"
import * as Holdings from "./Holdings.ts"
import { isTrade, toTransaction } from "./history.ts"
import * as RawTransactions from "./RawTransactions.ts"
import * as TransactionContext from "./TransactionContext.ts"
import * as TronAddress from "./TronAddress.ts"
import { tokens as platformTokens } from "./tokens.ts"

// TRX and TRC-20 tokens through TronGrid; Client.ts names the documents. Staked TRX is not part of a balance.

const tradeProceeds = "what trades at Tron's own exchanges and token sales returned"

/** A larger call may exceed a node's execution time limit. */
const balancesPerCall = 500

const make = Effect.gen(function* () {
  const client = yield* Client.make
  const historyTime = Deadline.make(yield* requestDeadline).share("read")
  const registry = yield* follow(platformTokens, [client.name])
  /** Transactions and transfers of TRC-20 tokens are two lists that complement each other. */
  const history: Chain["Type"]["history"] = ({ address, before, limit, since }) =>
    join(client.lists(address, { since, until: before?.height }), { limit, within: historyTime }).pipe(
      Effect.map(({ groups, missing, more }) => {
        const transactions = groups.map((group) => toTransaction(address, group)).sort(newestFirst)
        const unavailable = transactions.some(isTrade) ? { unavailable: [tradeProceeds] } : {}
        return { transactions, more, sources: [client.name], missing, ...unavailable }
      }),
      Effect.mapError(unread),
      span("Tron.history")
    )

  return {
    facts: tron,
    address: TronAddress.parse,
    addressForm: TronAddress.formOf,
    meansNative: TronAddress.isZero,
    batchSize: 25,
    holdings: holdingsOf(client, registry),
    holding: holdingOf(client, registry),
    breakdown: Breakdown.make(client),
    history,
    rawTransactions: RawTransactions.make(client.upstream),
    transactionContexts: Contexts.withShared(
      () => TransactionContext.newestBlock(client.upstream),
      (address, block) =>
        TransactionContext.read(
          client.upstream,
          (unused) => Effect.map(trx(client, unused), (balance) => balance === 0n),
          address,
          block
        )
    ),
    heights: { of: ({ order }) => order },
    fees: Fees.make(client.upstream),
    abilities: Effect.map(registry.abilities, (served) => ({
      ...served,
      history: Either.right([client.name]),
      rawTransactions: Either.right([client.name]),
      fees: Either.right([client.name]),
      transactionContext: Either.right([client.name])
    }))
  } satisfies Chain["Type"]
})

type TronClient = Effect.Effect.Success<typeof Client.make>

type Registry = Effect.Effect.Success<ReturnType<typeof follow>>

/** The balances of addresses, many in a call of the node. */
const holdingsOf = (client: TronClient, registry: Registry): Chain["Type"]["holdings"] => {
  const targetsOf = targetsOnce()
  return (addresses) =>
    Effect.gen(function* () {
      const tokenList = yield* registry.list
      const tokens = Option.match(tokenList, { onNone: () => [], onSome: targetsOf })
      const calls = addresses.flatMap((address) => Holdings.balanceCalls(address, tokens))
      const chunks = yield* each(Arr.chunksOf(calls, balancesPerCall), (chunk) =>
        Effect.map(Effect.either(client.balances(chunk)), (result) =>
          chunk.map((_, index) => Either.map(result, (amounts) => amounts[index] ?? Option.none()))
        )
      )
      const results = chunks.flat()
      const width = tokens.length + 1
      const accounts = yield* Effect.forEach(
        addresses,
        (address, index) => {
          const own = Either.all(results.slice(index * width, (index + 1) * width))
          const read = Either.flatMap(own, (amounts) =>
            Either.fromOption(Holdings.fromResults(tokens, amounts), () => noBalance)
          )
          const settled = Either.isLeft(read) && isVerdict(read.left) ? indexed(client, address, tokens) : read
          return Effect.either(Effect.mapError(settled, unread))
        },
        { concurrency: 8 }
      )
      return { addresses: accounts, missing: missingTokens(tokenList) }
    }).pipe(span("Tron.holdings", { attributes: { addresses: addresses.length } }))
}

/** The balance of one address in one coin or token. */
const holdingOf =
  (client: TronClient, registry: Registry): Chain["Type"]["holding"] =>
  (address, text) =>
    Effect.gen(function* () {
      if (Option.isNone(text)) return native(yield* trx(client, address))
      const token = yield* Either.mapLeft(TronAddress.parse(text.value), invalidToken)
      const registered = Option.flatMapNullable(yield* registry.list, (tokenList) => tokenList.byAddress.get(token))
      const asset = Option.match(registered, {
        onSome: (listed): Effect.Effect<Token, UpstreamError> => Effect.succeed(listed),
        onNone: () => Effect.map(client.decimals(token), unregistered(token))
      })
      const [amount, of] = yield* Effect.all([client.balanceOf(address, token), asset], { concurrency: 2 })
      return { asset: of, amount: Either.right(amount) }
    }).pipe(Effect.mapError(unread))

/** From the index, where Multicall3 failed: this costs a call per address. */
const indexed = (client: TronClient, address: string, tokens: ReadonlyArray<Holdings.Target>) =>
  Effect.map(client.indexed(address), (account) => Holdings.fromIndex(account, tokens))

/**
 * An account that was never activated is an empty object, and so may a wrong response be: zero is read a second time.
 */
const trx = (client: TronClient, address: string) =>
  Effect.gen(function* () {
    const balance = yield* client.trx(address)
    if (balance > 0n) return balance
    const [confirmed = Option.none()] = yield* client.balances(Holdings.balanceCalls(address, []))
    return yield* Effect.mapError(confirmed, () => noBalance)
  })

export const layer = Layer.effect(Chain, make)

/** Decodes the addresses of a token list once. */
const targetsOnce = () => {
  let last: { readonly of: TokenList; readonly targets: ReadonlyArray<Holdings.Target> } | undefined
  return (of: TokenList) => {
    if (last?.of !== of) last = { of, targets: Holdings.targets(of, tron.native.coinId) }
    return last.targets
  }
}

/** The failure is due to the call (too large, or not executable), not to an unreachable or overloaded host. */
const isVerdict = ({ final, reason }: UpstreamError) => final === true || reason === "bad_answer"

const native = (sun: bigint): Holding => ({ asset: "native", amount: Either.right(sun) })

const noBalance = new UpstreamError({ upstream: "trongrid", reason: "bad_answer", detail: "returned no balance" })
