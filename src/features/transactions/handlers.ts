import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { type ChainFacts, storedAs } from "../../catalogue/NetworkFacts.ts"
import type { NodeResponse, ReadFailure } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import {
  DeadlineExceeded,
  type InvalidRequest,
  NotImplemented,
  type TooLarge,
  UpstreamFailed
} from "../../contract/Problem.ts"
import { invalid, schemaProblem, sizeProblem, tooManyAddresses, withoutResult } from "../../contract/problem/issues.ts"
import type { Failure } from "../../contract/streaming.ts"
import {
  type AddressContext,
  type ContextRequest,
  type FirstTransactionRequest,
  type FirstTransactions,
  type TransactionQuery,
  TransactionRequest
} from "../../contract/TransactionsApi.ts"
import type { TransactionContext } from "../../domain/TransactionContext.ts"
import { numberOf } from "../../domain/units.ts"
import { appendFailures } from "../../http/response/partialFailures.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import { maxAddresses, requestDeadline } from "../../settings/variables.ts"
import { type AnyNetwork, guarded, type Reading, readEach, readNetworks, unknownNetworks } from "../reading.ts"
import { SentTransactions } from "../sending/SentTransactions.ts"
import { FirstTransaction, type FirstTransactionResult } from "./FirstTransaction.ts"
import { RawTransactions } from "./RawTransactions.ts"
import { withSent } from "./withSent.ts"

const decode = Schema.decodeUnknown(TransactionRequest)

/** Room for the two fields and for extra fields that a client may have added by mistake. */
const maxValues = 100

/** A raw transaction request, from its query; fields missing there come from a JSON body. */
const transactionRequest = (
  query: typeof TransactionQuery.Type,
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<TransactionRequest, InvalidRequest | TooLarge> =>
  request.text.pipe(
    Effect.orElseSucceed(() => ""),
    Effect.tap((text) => sizeProblem(text, maxValues) ?? Effect.void),
    Effect.flatMap((text) => (text.trim() === "" ? Effect.succeed({}) : Effect.orDie(request.json))),
    Effect.flatMap((body) => decode(Schema.is(fields)(body) ? { ...body, ...query } : body)),
    Effect.catchTag("ParseError", (error) =>
      Effect.flatMap(ParseResult.ArrayFormatter.formatError(error), (issues) => Effect.fail(schemaProblem(issues)))
    )
  )

const fields = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const statuses = { done: 200, refused: 400, unknown: 404 } as const satisfies Record<NodeResponse["verdict"], number>

/** The response of the node, unchanged. */
const respond = ({ body, contentType, verdict }: NodeResponse) =>
  HttpServerResponse.text(body, { status: statuses[verdict], contentType })

interface RawTransactionRequest {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly urlParams: typeof TransactionQuery.Type
}

const rawTransaction =
  (run: Context.Tag.Service<RawTransactions>["send"]) =>
  ({ request, urlParams }: RawTransactionRequest) =>
    Effect.gen(function* () {
      const { chain, tx } = yield* transactionRequest(urlParams, request)
      return yield* run(chain, tx).pipe(
        Effect.mapBoth({
          onFailure: (error) =>
            error._tag === "NoResult" ? withoutResult()(error) : new DeadlineExceeded({ detail: error.message }),
          onSuccess: respond
        })
      )
    })

/** Why a first transaction is missing, or why an earlier one may exist. */
const inDoubt =
  (address: string) =>
  ([network, result]: readonly [string, FirstTransactionResult]): ReadonlyArray<Failure> =>
    Either.match(result, {
      onLeft: ({ message, reason }) => [{ network, address, message, errorCode: reason }],
      onRight: (first) => {
        const message = Option.getOrUndefined(first)?.uncertainty
        return message === undefined ? [] : [{ network, address, message, errorCode: "not_listed" }]
      }
    })

/** The networks of a request without a result: unknown ones, and those whose first transactions cannot be read. */
const skippedNetworks = (facts: ReadonlyArray<ChainFacts>) => {
  const unknown = unknownNetworks(facts)
  return (requested: ReadonlyArray<string>, found: ReadonlyMap<string, unknown>): ReadonlyArray<Failure> => {
    const failures = unknown(requested)
    const named = new Set([...failures.map(({ network }) => network), ...found.keys()])
    const others = [...new Set(requested)].filter((network) => !named.has(network))
    return [
      ...failures,
      ...others.map((network): Failure => {
        const message = `first transactions of ${network} are not supported`
        return { network, message, errorCode: "not_configured" }
      })
    ]
  }
}

/** Handles POST /utils/first-tx. */
export const firstTransaction = Effect.gen(function* () {
  const first = yield* FirstTransaction
  const skipped = skippedNetworks((yield* Chains).facts)
  return ({ payload: { address, networkIds } }: { readonly payload: FirstTransactionRequest }) =>
    Effect.gen(function* () {
      const results = yield* first.of(networkIds, address)
      if (Either.isLeft(results)) return yield* invalid([{ path: "address", message: results.left }])
      const found = [...results.right]
      const refusal = refusalOf(found.map(([, result]) => result))
      if (refusal !== undefined) return yield* refusal
      yield* appendFailures([...skipped(networkIds, results.right), ...found.flatMap(inDoubt(address))])
      return Object.fromEntries(
        found.flatMap(([network, result]) =>
          Option.match(Option.flatten(Either.getRight(result)), {
            onNone: () => [],
            onSome: ({ at }) => [[network, { timestamp: numberOf(at) }] as const]
          })
        )
      ) satisfies FirstTransactions
    })
})

/** The problem if every network failed. A network that was shut down does not count as failed. */
const refusalOf = (found: ReadonlyArray<FirstTransactionResult>) => {
  const failures = found.flatMap((result) => (Either.isLeft(result) ? [result.left] : []))
  const problems = failures.filter(({ reason }) => reason !== "sunset")
  if (failures.length < found.length || problems.length === 0) return undefined
  const failed = problems.find(({ reason }) => reason !== "not_configured")
  return failed === undefined
    ? new NotImplemented({ detail: `Not configured: ${problems[0]?.message}.` })
    : new UpstreamFailed({ detail: `No first transaction could be looked up: ${failed.message}.` })
}

/** Reads each address separately, within the remaining read time of the request. */
const readAll = (
  sent: Context.Tag.Service<SentTransactions>,
  network: AnyNetwork,
  texts: ReadonlyArray<string>,
  { remaining }: Deadline.Started
) =>
  readEach<TransactionContext>(network, texts, undefined, (addresses) =>
    Effect.flatMap(network.transactionContexts?.(addresses) ?? Effect.fail(notBuilt(network.facts.name)), (read) =>
      each(addresses, (address) =>
        Effect.flatMap(remaining("read"), (duration) =>
          guarded(network, duration, read(address)).pipe(
            Effect.flatMap((context) => withSent(sent, storedAs(network.facts), address, context)),
            Effect.either
          )
        )
      )
    )
  )

const notBuilt = (name: string): ReadFailure => ({
  reason: "not_configured",
  message: `transactions of ${name} are not supported`
})

/**
 * The data for building transactions of each address, by the supported networks of a request and in its order. Cannot
 * fail and ends before the deadline: an address that could not be read has a reason, and does not affect the others.
 */
export const signingContexts = Effect.gen(function* () {
  const networks = yield* Chains
  const sent = yield* SentTransactions
  const deadline = Deadline.make(yield* requestDeadline)
  return Effect.fnUntraced(function* (wanted: Readonly<Record<string, ReadonlyArray<string>>>) {
    const running = yield* deadline.start
    return yield* readNetworks(networks, wanted, (network, texts) => readAll(sent, network, texts, running))
  }, span("SigningContexts.of"))
})

/** Handles POST /utils/transaction-context. */
export const context = Effect.gen(function* () {
  const contexts = yield* signingContexts
  const unknown = unknownNetworks((yield* Chains).facts)
  const max = yield* maxAddresses
  return ({ payload: { networks } }: { readonly payload: ContextRequest }) =>
    Effect.gen(function* () {
      yield* tooManyAddresses(networks, max)
      const all = yield* contexts(networks)
      yield* appendFailures(unknown(Object.keys(networks)))
      // Does not encode with the schema: that loses a key named __proto__, and the client chooses the keys.
      return HttpServerResponse.unsafeJson(
        Object.fromEntries(
          all.map(({ name, results }) => [
            name,
            Object.fromEntries(results.map(([text, { result }]) => [text, toWire(result)]))
          ])
        )
      )
    })
})

const toWire = (result: Reading<TransactionContext>): AddressContext =>
  Either.match(result, {
    onLeft: ({ message, reason }) => ({ context: null, error: message, errorCode: reason }),
    onRight: (context) => ({ context })
  })

/** POST /utils/sendrawtransaction. */
export const sendingRaw = Effect.map(RawTransactions, ({ send }) => rawTransaction(send))

/** POST /utils/getrawtransaction. */
export const findingRaw = Effect.map(RawTransactions, ({ find }) => rawTransaction(find))
