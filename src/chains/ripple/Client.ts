import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { ripple } from "../../catalogue/ripple.ts"
import { height, LedgerIndex, numberOf } from "../../domain/units.ts"
import * as declare from "../../settings/declare.ts"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import * as Upstream from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { byKeyOrFault, Uint32 } from "../kit/holdings/amounts.ts"
import { headCheck } from "../kit/status/currentHead.ts"
import { type Decimal, Drops, decimal } from "./amount.ts"
import { timeOf } from "./LedgerTransaction.ts"

// The HTTP API of rippled and Clio: account_info, account_lines, ledger (xrpl.org/docs/references/http-websocket-apis).

/** Limits: lines that a public node returns per page, and pages read for an address. */
const linesPerPage = 400
const maxPages = 25

/** Bitstamp's issuing account: exists since 2013, on the main network only. */
const canaryAccount = "rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B"

/** A trust line from the perspective of one of its two accounts. */
export interface TrustLine {
  /** The other account, which is the issuer if the balance is positive. */
  readonly account: string
  readonly currency: string
  readonly balance: Decimal
}

export interface RippleAccount {
  readonly drops: bigint
  /** The number of objects that require a reserve; undefined if the node did not return it. */
  readonly objects: number | undefined
  /** Left if no node returned the complete list. */
  readonly lines: Either.Either<ReadonlyArray<TrustLine>, UpstreamError>
}

const IssuedAmount = Schema.transformOrFail(
  Schema.String,
  Schema.Struct({ digits: Schema.BigIntFromSelf, scale: Schema.Number }),
  {
    strict: true,
    decode: (text, _, ast) =>
      Option.match(decimal(text), {
        onNone: () => ParseResult.fail(new ParseResult.Type(ast, text, "not a decimal number")),
        onSome: (amount) => ParseResult.succeed(amount)
      }),
    encode: (amount, _, ast) => ParseResult.fail(new ParseResult.Type(ast, amount, "only read"))
  }
)

/** Accepts only validated ledgers: the content of other ledgers may still change. */
const validated = { validated: Schema.optional(Schema.Literal(true)) }

// Responses have no call id, so the account in a response identifies its call.
const accountInfo = (account: string) =>
  Schema.Struct({
    ...validated,
    account_data: Schema.Struct({
      Account: Schema.Literal(account),
      Balance: Drops,
      /** The number of objects that require a reserve. */
      OwnerCount: Schema.optional(Schema.NonNegativeInt)
    }),
    ledger_index: Schema.optional(Schema.Int)
  })

const accountLines = (account: string) =>
  Schema.Struct({
    ...validated,
    account: Schema.Literal(account),
    lines: Schema.Array(Schema.Struct({ account: Schema.String, currency: Schema.String, balance: IssuedAmount })),
    ledger_index: Schema.optional(Schema.Int),
    /** Opaque; absent on the last page. */
    marker: Schema.optional(Schema.Unknown)
  })

const Ledger = Schema.Struct({
  ledger_index: Schema.compose(Uint32, LedgerIndex),
  validated: Schema.Literal(true),
  ledger: Schema.Struct({ close_time: Uint32 })
})

/** The newest validated ledger of a node. */
export const headOf = (node: Upstream.Endpoint) =>
  call(node, "ledger", { ledger_index: "validated" }, Ledger).pipe(
    Effect.flatMap(Either.fromOption(() => node.fault(contradiction))),
    Effect.map(({ ledger, ledger_index }) => ({
      height: height(numberOf(ledger_index)),
      time: timeOf(ledger.close_time)
    }))
  )

/** The client of the nodes at RIPPLE_RPC_URLS. */
export const make = Effect.gen(function* () {
  const nodes = yield* Upstream.make({
    name: "ripple-rpc",
    urls: yield* declare.urls({
      name: "RIPPLE_RPC_URLS",
      default: ripple.nodes,
      meaning: "JSON-RPC nodes of the XRP Ledger"
    }),
    // No rate is documented. By default Clio rejects more than 20 calls per second, or 20 connections at once.
    rate: { source: "RIPPLE_RPC", keyless: { perSecond: 15, burst: 5 } },
    canary: (node) =>
      Effect.filterOrFail(
        call(node, "account_info", { account: canaryAccount, ledger_index: "validated" }, accountInfo(canaryAccount)),
        Option.isSome,
        () => node.fault({ reason: "bad_answer", detail: "the node serves another ledger" })
      )
  })

  const check = yield* headCheck(ripple)
  /** Fails if the newest ledger of a node does not fit the clock: other responses have its index alone. */
  const isCurrent = (node: Upstream.Endpoint) => check(node, headOf(node))

  return {
    name: nodes.name,
    nodes,
    isCurrent,
    /**
     * Reads the drops of an address, its object count and, if requested, all trust lines, from the same ledger. The
     * lines are requested concurrently, and again if a ledger was validated in between.
     */
    account: (address: string, withLines: boolean): Effect.Effect<RippleAccount, UpstreamError> =>
      Effect.suspend(() => {
        let withoutLines: RippleAccount | undefined
        const read = (node: Upstream.Endpoint) =>
          Effect.gen(function* () {
            yield* isCurrent(node)
            const params = { account: address, ledger_index: "validated" }
            const [account, first] = yield* Effect.all(
              [
                call(node, "account_info", params, accountInfo(address)),
                withLines ? Effect.either(linesPage(node, params)) : Effect.succeed(undefined)
              ],
              { concurrency: 2 }
            )
            const hasLines = first !== undefined && Either.isRight(first) && Option.isSome(first.right)
            if (Option.isNone(account) && hasLines) return yield* node.fault(contradiction)
            if (Option.isNone(account)) return { drops: 0n, lines: Either.right([]), objects: undefined }
            const { account_data, ledger_index = "validated" } = account.value
            const of = { drops: BigInt(account_data.Balance), objects: account_data.OwnerCount }
            if (first === undefined) return { ...of, lines: Either.right([]) }
            const isNewer = Either.isRight(first) && Option.getOrUndefined(first.right)?.ledger_index !== ledger_index
            const again = { account: address, ledger_index }
            const lines = yield* Effect.tapError(allLines(node, again, isNewer ? undefined : first), (error) =>
              Effect.sync(() => {
                if (error.detail !== contradiction.detail) withoutLines = { ...of, lines: Either.left(error) }
              })
            )
            // The node has just returned this account.
            if (Option.isNone(lines)) return yield* node.fault(contradiction)
            return { ...of, lines: Either.right(lines.value) }
          })
        return Effect.catchAll(nodes.over(read), (error) =>
          withoutLines === undefined ? Effect.fail(error) : Effect.succeed(withoutLines)
        )
      }),
    /** Reads the trust lines between an address and an issuer. */
    linesTo: (address: string, issuer: string) =>
      nodes.over((node) =>
        Effect.zipRight(
          isCurrent(node),
          Effect.map(
            allLines(node, { account: address, peer: issuer, ledger_index: "validated" }),
            Option.getOrElse((): ReadonlyArray<TrustLine> => [])
          )
        )
      )
  }
})

export type RippleClient = Effect.Effect.Success<typeof make>

type AccountParams = Readonly<Record<string, unknown>> & { readonly account: string }

/** Reads a page of trust lines; none if the account does not exist. */
const linesPage = (node: Upstream.Endpoint, params: AccountParams) =>
  call(node, "account_lines", { ...params, limit: linesPerPage }, accountLines(params.account))

/**
 * Reads all pages, unless the first is already known; none if the account does not exist. Fails if a page fails: a
 * partial list would look complete.
 */
const allLines = (
  node: Upstream.Endpoint,
  params: AccountParams,
  first: ReturnType<typeof linesPage> = linesPage(node, params)
): Effect.Effect<Option.Option<ReadonlyArray<TrustLine>>, UpstreamError> =>
  Effect.gen(function* () {
    // Two accounts share at most one line per currency.
    const rows: Array<readonly [string, TrustLine]> = []
    let marker: unknown
    for (let page = 0; page < maxPages; page++) {
      const response = yield* page === 0 ? first : linesPage(node, { ...params, marker })
      if (Option.isNone(response)) return page === 0 ? Option.none() : yield* node.fault(contradiction)
      rows.push(...response.value.lines.map((line) => [`${line.account} ${line.currency}`, line] as const))
      marker = response.value.marker
      if (marker === undefined)
        return yield* Either.match(byKeyOrFault(rows), {
          onLeft: node.fault,
          onRight: (lines) => Effect.succeedSome([...lines.values()])
        })
    }
    return yield* node.fault({ reason: "bad_answer", detail: "has more trust lines than can be read", final: true })
  })

export const contradiction: Fault = {
  reason: "bad_answer",
  detail: "returned an account, then reported that it does not exist"
}

/** Calls a node; none if the account does not exist. */
export const call = <A, I>(
  node: Upstream.Endpoint,
  method: string,
  params: Readonly<Record<string, unknown>>,
  result: Schema.Schema<A, I>
) =>
  node.read(HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(""), { method, params: [params] }), (response) =>
    ResponseDecoder.fitting(Schema.Unknown, { refusal })(response).pipe(
      Either.flatMap((body) =>
        errorOf(body) === "actNotFound"
          ? isAbout(body, params.account)
            ? Either.right(Option.none<A>())
            : Either.left<Fault>(otherAccount)
          : Either.map(ResponseDecoder.fitting(Schema.Struct({ result }))(response), (decoded) =>
              Option.some(decoded.result)
            )
      ),
      // An HTTP status is never final: another gateway may accept a call that one gateway rejects.
      Either.mapLeft(({ final: _, ...fault }): Fault => ({ ...fault, ...overloadOf(response) }))
    )
  )

/** A node refuses the calls of an address with a text (xrpl.org, rate limiting). */
const overloadOf = ({ status, text }: ResponseDecoder.UpstreamResponse) =>
  status === 503 && text.includes("Server is overloaded")
    ? { reason: "rate_limited" as const, detail: "rate limit reached (HTTP 503)" }
    : {}

/** The error in the body: the HTTP status is 200 for all others. */
export const errorOf = (body: unknown): string | undefined => {
  const result = Predicate.isRecord(body) ? body.result : undefined
  return Predicate.isRecord(result) && typeof result.error === "string" ? result.error : undefined
}

const Missing = Schema.Struct({ result: Schema.Struct({ account: Schema.String }) })
const isOfAccount = Schema.is(Missing)

/** True if an error names this account, or no account. */
const isAbout = (body: unknown, account: unknown): boolean => !isOfAccount(body) || body.result.account === account

export const otherAccount: Fault = {
  reason: "bad_answer",
  detail: "returned data of an account that was not requested"
}

const refusal = (body: unknown): Fault | undefined => {
  const error = errorOf(body)
  if (error === undefined || error === "actNotFound") return undefined
  if (overloadErrors.includes(error)) return { reason: "rate_limited", detail: "rate limit reached" }
  if (unavailableErrors.includes(error))
    return { reason: "upstream_error", detail: "the node cannot answer at the moment" }
  return { reason: "upstream_error", detail: "the node rejected the call" }
}

/** Errors of an overloaded node. */
export const overloadErrors = ["slowDown", "tooBusy"]

/** The node is out of sync, or does not have the requested ledger. */
export const unavailableErrors = [
  "noNetwork",
  "noCurrent",
  "noClosed",
  "notSynced",
  "notReady",
  "lgrNotFound",
  "lgrNotValidated"
]
