import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as declare from "../../settings/declare.ts"
import * as ResponseDecoder from "../../upstream/ResponseDecoder.ts"
import * as Upstream from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { type Decimal, Drops, decimal } from "./amount.ts"

// The HTTP API of rippled and Clio: account_info, account_lines (xrpl.org/docs/references/http-websocket-apis).

/** Public nodes that need no key. */
const publicNodes = ["https://xrplcluster.com", "https://s1.ripple.com:51234", "https://s2.ripple.com:51234"]

/** The most lines that a public node tells at once, and the most pages that are read of one address. */
const linesPerPage = 400
const maxPages = 25

/** Bitstamp's issuing account: on the main network alone, since 2013. */
const canaryAccount = "rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B"

/** A trust line as one of its two accounts sees it. */
export interface TrustLine {
  /** The other account; the issuer where the balance is positive. */
  readonly account: string
  readonly currency: string
  readonly balance: Decimal
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

/** Of a ledger that is final: what is not validated may still change. */
const validated = { validated: Schema.optional(Schema.Literal(true)) }

// The nodes' answers have no id of the call: the account that they name says whose they are.
const accountInfo = (account: string) =>
  Schema.Struct({
    ...validated,
    account_data: Schema.Struct({
      Account: Schema.Literal(account),
      Balance: Drops
    }),
    ledger_index: Schema.optional(Schema.Int)
  })

const accountLines = (account: string) =>
  Schema.Struct({
    ...validated,
    account: Schema.Literal(account),
    lines: Schema.Array(Schema.Struct({ account: Schema.String, currency: Schema.String, balance: IssuedAmount })),
    /** Opaque; absent on the last page. */
    marker: Schema.optional(Schema.Unknown)
  })

/** The client of the nodes at RIPPLE_RPC_URLS. */
export const make = Effect.gen(function* () {
  const nodes = yield* Upstream.make({
    name: "ripple-rpc",
    urls: yield* declare.urls({
      name: "RIPPLE_RPC_URLS",
      default: publicNodes,
      meaning: "JSON-RPC nodes of the XRP Ledger"
    }),
    concurrency: 16,
    // Nobody promises a number. Clio refuses more than 20 calls within a second, or connections at once, unless its
    // operator says otherwise.
    rate: { source: "RIPPLE_RPC", keyless: { perSecond: 15, burst: 5 } },
    canary: (node) =>
      Effect.filterOrFail(
        call(node, "account_info", { account: canaryAccount, ledger_index: "validated" }, accountInfo(canaryAccount)),
        Option.isSome,
        () => node.fault({ reason: "bad_answer", detail: "the node is of another ledger" })
      )
  })

  return {
    name: nodes.name,
    nodes,
    /** XRP of one address in drops, and all its lines where they are wanted, of the same ledger. */
    account: (address: string, withLines: boolean) =>
      nodes.over((node) =>
        Effect.gen(function* () {
          const params = { account: address, ledger_index: "validated" }
          const info = yield* call(node, "account_info", params, accountInfo(address))
          if (Option.isNone(info)) return { drops: 0n, lines: [] }
          const { account_data, ledger_index = "validated" } = info.value
          const lines = withLines ? yield* allLines(node, address, { ledger_index }) : Option.some([])
          // The ledger has the account, as it said itself.
          if (Option.isNone(lines)) return yield* node.fault(contradiction)
          return { drops: BigInt(account_data.Balance), lines: lines.value }
        })
      ),
    /** The lines between an address and one issuer. */
    linesTo: (address: string, issuer: string) =>
      nodes.over((node) =>
        Effect.map(
          allLines(node, address, { peer: issuer, ledger_index: "validated" }),
          Option.getOrElse((): ReadonlyArray<TrustLine> => [])
        )
      )
  }
})

type RippledParams = Readonly<Record<string, unknown>>

/** Page by page; none where there is no account. Half of them would be a shorter list, so all or a failure. */
const allLines = (
  node: Upstream.Endpoint,
  account: string,
  params: RippledParams
): Effect.Effect<Option.Option<ReadonlyArray<TrustLine>>, UpstreamError> =>
  Effect.gen(function* () {
    // There is one line to an account in a currency.
    const lines = new Map<string, TrustLine>()
    let marker: unknown
    for (let page = 0; page < maxPages; page++) {
      const pageParams = { account, ...params, limit: linesPerPage, ...(page === 0 ? {} : { marker }) }
      const response = yield* call(node, "account_lines", pageParams, accountLines(account))
      if (Option.isNone(response)) return page === 0 ? Option.none() : yield* node.fault(contradiction)
      for (const line of response.value.lines) lines.set(`${line.account} ${line.currency}`, line)
      marker = response.value.marker
      if (marker === undefined) return Option.some([...lines.values()])
    }
    return yield* node.fault({ reason: "bad_answer", detail: "has more trust lines than can be read", final: true })
  })

export const contradiction: Fault = {
  reason: "bad_answer",
  detail: "returned an account, and then that it does not exist"
}

/** One call; none where the ledger has no such account. */
export const call = <A, I>(
  node: Upstream.Endpoint,
  method: string,
  params: RippledParams,
  result: Schema.Schema<A, I>
) =>
  node.read(HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(""), { method, params: [params] }), (response) =>
    ResponseDecoder.fitting(Schema.Unknown, { refusal })(response).pipe(
      Either.flatMap((body) =>
        errorOf(body) === "actNotFound"
          ? isAbout(body, params.account)
            ? Either.right(Option.none<A>())
            : Either.left<Fault>(otherAccount)
          : Either.map(ResponseDecoder.fitting(Schema.Struct({ result }))(response), (item) => Option.some(item.result))
      ),
      // No HTTP status is a verdict about the call: what one node's gateway refuses, the next may answer.
      Either.mapLeft(({ final: _, ...fault }): Fault => fault)
    )
  )

/** The error in an envelope: HTTP is 200 whatever it is. */
const errorOf = (body: unknown): string | undefined => {
  const result = Predicate.isRecord(body) ? body.result : undefined
  return Predicate.isRecord(result) && typeof result.error === "string" ? result.error : undefined
}

const Missing = Schema.Struct({ result: Schema.Struct({ account: Schema.String }) })
const isOfAccount = Schema.is(Missing)

/** Whether an error is about this account, as far as it names one. */
const isAbout = (body: unknown, account: unknown): boolean => !isOfAccount(body) || body.result.account === account

export const otherAccount: Fault = {
  reason: "bad_answer",
  detail: "returned data of an account that was not requested"
}

const refusal = (body: unknown): Fault | undefined => {
  const error = errorOf(body)
  if (error === undefined || error === "actNotFound") return undefined
  if (limited.includes(error)) return { reason: "rate_limited", detail: "rate limit reached" }
  if (unable.includes(error)) return { reason: "upstream_error", detail: "the node cannot answer at the moment" }
  return { reason: "upstream_error", detail: "the node rejected the call" }
}

const limited = ["slowDown", "tooBusy"]

/** Not in step with the network, or without the ledger that was asked for. */
const unable = ["noNetwork", "noCurrent", "noClosed", "notSynced", "notReady", "lgrNotFound", "lgrNotValidated"]
