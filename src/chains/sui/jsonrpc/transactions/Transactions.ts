import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { invalid, queryFirst, queryHost, queryText, type SuiMethod, SuiRefusal, withFallback } from "../Method.ts"
import * as Params from "../Params.ts"
import * as TransactionResponse from "./TransactionResponse.ts"

/** Worded as by nodes, because clients recognise the message. */
const notFound = (digest: string) => `Could not find the referenced transaction [TransactionDigest(${digest})].`

export const getTransactionBlock: SuiMethod = (hosts, [given, options]) =>
  Effect.gen(function* () {
    const digest = yield* Params.digest(given, "digest")
    const show = yield* Params.flags(options, TransactionResponse.options)
    const { transaction } = yield* queryFirst(
      hosts,
      queryText("$digest: String!", `transaction(digest: $digest) { ${TransactionResponse.transactionFields(show)} }`),
      { digest },
      Schema.Struct({ transaction: Schema.NullOr(TransactionResponse.Transaction) })
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
    const { multiGetTransactions: transactions } = yield* queryFirst(
      hosts,
      queryText(
        "$keys: [String!]!",
        `multiGetTransactions(keys: $keys) { ${TransactionResponse.transactionFields(show)} }`
      ),
      { keys: digests },
      Schema.Struct({ multiGetTransactions: Schema.Array(Schema.NullOr(TransactionResponse.Transaction)) })
    )
    return digests.map((digest, index) => {
      const transaction = transactions[index] ?? null
      return transaction === null
        ? { digest, errors: [notFound(digest)] }
        : TransactionResponse.toResponse(show, transaction)
    })
  })

const TransactionDigests = Schema.Struct({
  transactions: Schema.Struct({
    nodes: Schema.Array(TransactionResponse.Transaction),
    pageInfo: Schema.Struct({
      hasNextPage: Schema.optional(Schema.Boolean),
      endCursor: Schema.optional(Schema.NullOr(Schema.String)),
      hasPreviousPage: Schema.optional(Schema.Boolean),
      startCursor: Schema.optional(Schema.NullOr(Schema.String))
    })
  })
})

/** Reads transactions oldest first, or newest first if `descending` is true. */
export const queryTransactionBlocks: SuiMethod = (hosts, [query, cursor, limit, descending]) =>
  Effect.gen(function* () {
    const { filter, options } = yield* Params.object(query, "query")
    const show = yield* Params.flags(options, TransactionResponse.options)
    const count = yield* Params.limit(limit)
    const variables = {
      count,
      mark: yield* Params.cursor(cursor),
      filter: yield* filterOf(filter)
    }
    const [page, pageFields] =
      descending === true
        ? ["last: $count, before: $mark", "hasPreviousPage startCursor"]
        : ["first: $count, after: $mark", "hasNextPage endCursor"]
    return yield* withFallback(hosts, (host) =>
      Effect.gen(function* () {
        const { nodes, pageInfo } = (yield* queryHost(
          host,
          queryText(
            "$count: Int!, $mark: String, $filter: TransactionFilter",
            `transactions(${page}, filter: $filter) { nodes { ${TransactionResponse.transactionFields(show)} } pageInfo { ${pageFields} } }`
          ),
          variables,
          TransactionDigests
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
    )
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
