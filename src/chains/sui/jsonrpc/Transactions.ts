import { base64 } from "@scure/base"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as GraphQl from "../../../upstream/response/GraphQl.ts"
import * as HostReads from "../providers/graphql/HostReads.ts"
import { maybe } from "../SuiWire.ts"
import { invalid, query, queryFirst, type SuiMethod, SuiRefusal } from "./Method.ts"
import * as Params from "./Params.ts"
import * as TransactionData from "./TransactionData.ts"
import * as TransactionResponse from "./TransactionResponse.ts"

/** Worded as by nodes, because clients recognise the message. */
const notFound = (digest: string) => `Could not find the referenced transaction [TransactionDigest(${digest})].`

export const getTransactionBlock: SuiMethod = (hosts, [given, options]) =>
  Effect.gen(function* () {
    const digest = yield* Params.digest(given, "digest")
    const show = yield* Params.flags(options, TransactionResponse.options)
    const fields = `transaction(digest: $digest) { ${TransactionResponse.transactionFields(show)} }`
    const { transaction } = yield* queryFirst(
      hosts,
      query("$digest: String!", fields, { transaction: Schema.NullOr(TransactionResponse.Transaction) }),
      { digest }
    )
    return transaction === null
      ? yield* new SuiRefusal({ code: -32602, message: notFound(digest) })
      : TransactionResponse.toResponse(show, transaction)
  })

/** The digests of a full page fit into a request of 5,000 bytes. */
export const multiGetTransactionBlocks: SuiMethod = (hosts, [given, options]) =>
  Effect.gen(function* () {
    const digests = yield* Params.list(given, "digests", Params.digest)
    const show = yield* Params.flags(options, TransactionResponse.options)
    const fields = `multiGetTransactions(keys: $keys) { ${TransactionResponse.transactionFields(show)} }`
    const { multiGetTransactions: transactions } = yield* queryFirst(
      hosts,
      query("$keys: [String!]!", fields, {
        multiGetTransactions: Schema.Array(Schema.NullOr(TransactionResponse.Transaction))
      }),
      { keys: digests }
    )
    return digests.map((digest, index) => {
      const transaction = transactions[index] ?? null
      return transaction === null
        ? { digest, errors: [notFound(digest)] }
        : TransactionResponse.toResponse(show, transaction)
    })
  })

const Transactions = Schema.Struct({
  nodes: Schema.Array(TransactionResponse.Transaction),
  pageInfo: Schema.Struct({
    hasNextPage: Schema.optional(Schema.Boolean),
    endCursor: maybe(Schema.String),
    hasPreviousPage: Schema.optional(Schema.Boolean),
    startCursor: maybe(Schema.String)
  })
})

/** Reads transactions oldest first, or newest first if `descending` is true. */
export const queryTransactionBlocks: SuiMethod = (hosts, [given, cursor, limit, descending]) =>
  Effect.gen(function* () {
    const { filter, options } = yield* Params.object(given, "query")
    const show = yield* Params.flags(options, TransactionResponse.options)
    const variables = {
      count: yield* Params.limit(limit),
      mark: yield* Params.cursor(cursor),
      filter: yield* filterOf(filter)
    }
    const [page, pageFields] =
      descending === true
        ? ["last: $count, before: $mark", "hasPreviousPage startCursor"]
        : ["first: $count, after: $mark", "hasNextPage endCursor"]
    const fields = `transactions(${page}, filter: $filter) { nodes { ${TransactionResponse.transactionFields(show)} } pageInfo { ${pageFields} } }`
    const { nodes, pageInfo } = (yield* queryFirst(
      hosts,
      query("$count: Int!, $mark: String, $filter: TransactionFilter", fields, { transactions: Transactions }),
      variables
    )).transactions
    const rows = descending === true ? Arr.reverse(nodes) : nodes
    const more = (descending === true ? pageInfo.hasPreviousPage : pageInfo.hasNextPage) ?? false
    const mark = (descending === true ? pageInfo.startCursor : pageInfo.endCursor) ?? null
    return {
      data: rows.map((row) => TransactionResponse.toResponse(show, row)),
      nextCursor: mark,
      hasNextPage: more && mark !== null
    }
  })

type SuiFilter = Readonly<Record<string, unknown>> | null

const addressFilter = (name: string, given: unknown): Either.Either<SuiFilter, SuiRefusal> =>
  Either.map(Params.address(given, name), (address) => ({ [name]: address }))

/** Filters of the old API that GraphQL supports. ToAddress matches affected addresses, which include the recipients. */
const filters: Readonly<Record<string, (given: unknown) => Either.Either<SuiFilter, SuiRefusal>>> = {
  FromAddress: (given) => addressFilter("sentAddress", given),
  ToAddress: (given) => addressFilter("affectedAddress", given),
  FromOrToAddress: (given) => addressFilter("affectedAddress", Predicate.isRecord(given) ? given.addr : undefined),
  FromAndToAddress: (given) => {
    const { from, to } = Predicate.isRecord(given) ? given : {}
    return Either.zipWith(
      addressFilter("sentAddress", from),
      addressFilter("affectedAddress", to),
      (sent, affected) => ({
        ...sent,
        ...affected
      })
    )
  },
  AffectedObject: (given) => addressFilter("affectedObject", given),
  ChangedObject: (given) => addressFilter("affectedObject", given),
  Checkpoint: (given) =>
    /^\d{1,15}$/.test(String(given))
      ? Either.right({ atCheckpoint: Number(given) })
      : Either.left(invalid("Checkpoint: a number is expected")),
  MoveFunction: (given) => {
    const { function: name, module, package: address } = Predicate.isRecord(given) ? given : {}
    const names = [module, name].filter((part) => part !== undefined && part !== null)
    return names.every((part) => typeof part === "string" && /^\w+$/.test(part)) && (name ? Boolean(module) : true)
      ? Either.map(Params.address(address, "package"), (found) => ({ function: [found, ...names].join("::") }))
      : Either.left(invalid("MoveFunction: package, module and function are expected"))
  }
}

const filterOf = (filter: unknown): Either.Either<SuiFilter, SuiRefusal> => {
  if (filter === undefined || filter === null) return Either.right(null)
  const [name = "", ...others] = Predicate.isRecord(filter) ? Object.keys(filter) : []
  const condition = Object.hasOwn(filters, name) && others.length === 0 ? filters[name] : undefined
  return condition === undefined
    ? Either.left(invalid(`${name || "filter"} filter is not supported`))
    : condition(Reflect.get(filter, name))
}

/** The error for a transaction that a node rejected, with the node's message. */
const rejected = (words: string) => new SuiRefusal({ code: -32002, message: words })

const transactionOf = (value: unknown) =>
  Effect.gen(function* () {
    const bytes = yield* Params.bytes(value, "tx_bytes")
    const data = yield* Either.mapLeft(TransactionData.parse(bytes), (why) =>
      invalid(`tx_bytes: not a valid transaction: ${why}`)
    )
    return { bytes, data, transaction: base64.encode(bytes) }
  })

const simulation = query(
  "$transaction: JSON!",
  `simulateTransaction(transaction: $transaction) { effects { ${TransactionResponse.dryRunFields} } }`,
  { simulateTransaction: Schema.Struct({ effects: Schema.NullOr(TransactionResponse.ExecutedEffects) }) }
)

/** Simulates a transaction; if it has no gas objects, a simulated coin pays for it. */
export const dryRunTransactionBlock: SuiMethod = (hosts, [given]) =>
  Effect.gen(function* () {
    const { data, transaction } = yield* transactionOf(given)
    const { simulateTransaction } = yield* queryFirst(hosts, simulation, {
      transaction: { bcs: { value: transaction } }
    }).pipe(
      // The parameters were validated before, so a rejection concerns the transaction.
      Effect.mapError((error) =>
        error._tag === "Refusal" ? rejected(error.message.replace("Invalid Params: ", "")) : error
      )
    )
    const { effects } = simulateTransaction
    if (effects === null)
      return yield* hosts.fault({ reason: "bad_answer", detail: "did not return the effects of the transaction" })
    return yield* Either.mapLeft(TransactionResponse.toDryRun(data, effects), invalid)
  })

const execute = (show: TransactionResponse.TransactionOptions) => ({
  document: () =>
    `mutation ($transaction: Base64!, $signatures: [Base64!]!) { executeTransaction(transactionDataBcs: $transaction, signatures: $signatures) { effects { ${TransactionResponse.effectFields(show)} } } }`,
  variables: (sent: { readonly transaction: string; readonly signatures: ReadonlyArray<string> }) => ({ ...sent })
})

/**
 * Sends a transaction once. A response means that the transaction is final. Effects that are not available yet are
 * reported as missing, so that an executed transaction does not look like a failed one.
 */
export const executeTransactionBlock: SuiMethod = (hosts, [given, signatures, options, requestType]) =>
  Effect.gen(function* () {
    const { bytes, data, transaction } = yield* transactionOf(given)
    const signed = (yield* Params.list(signatures, "signatures", Params.bytes)).map(base64.encode)
    if (!Arr.isNonEmptyReadonlyArray(signed)) return yield* invalid("signatures: at least one is expected")
    const show = yield* Params.flags(options, TransactionResponse.options)
    const answered = yield* hosts.once((host) =>
      host.send(GraphQl.request(execute(show), { transaction, signatures: signed }), HostReads.refusable)
    )
    const reply = yield* Either.mapLeft(answered, rejected)
    const path = ["executeTransaction", "effects"]
    const { digest } = yield* Either.mapLeft(
      reply.at([...path], Schema.Struct({ digest: Schema.NonEmptyString })).pipe(
        Either.orElse((fault) =>
          // The transaction is executed even if a part of its effects has an error.
          Either.mapBoth(reply.at([...path, "digest"], Schema.NonEmptyString), {
            onLeft: () => fault,
            onRight: (text) => ({ digest: text })
          })
        )
      ),
      hosts.fault
    )
    return TransactionResponse.toExecuted(
      show,
      digest,
      { transaction, signatures: signed, sender: data.sender },
      digest === TransactionData.digestOf(bytes)
        ? Either.mapLeft(reply.at(path, TransactionResponse.ExecutedEffects), () => "effects: not available yet")
        : Either.left("effects: the host returned the effects of another transaction"),
      // It is unknown whether other queries already include the transaction.
      requestType === "WaitForEffectsCert" ? {} : { confirmedLocalExecution: false }
    )
  })
