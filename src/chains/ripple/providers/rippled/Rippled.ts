import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { ripple } from "../../../../catalogue/ripple.ts"
import { height, numberOf } from "../../../../domain/units.ts"
import * as declare from "../../../../settings/declare.ts"
import * as Upstream from "../../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../../upstream/UpstreamError.ts"
import { byKeyOrFault } from "../../../kit/holdings/amounts.ts"
import { headCheck } from "../../../kit/status/currentHead.ts"
import { timeOf } from "../../LedgerTransaction.ts"
import { contradiction, type RippleAccount, type RippleProvider, type TrustLine } from "../../Provider.ts"
import { call } from "./calling.ts"
import * as calls from "./calls.ts"
import { findAt, stateAt, submitTo, transactionAt } from "./transactions.ts"

/** Maximum pages of lines read for an address. */
const maxPages = 25

/** Bitstamp's issuing account: exists since 2013, on the main network only. */
const canaryAccount = "rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B"

/** The newest validated ledger of a node. */
const headOf = (node: Upstream.Endpoint) =>
  call(node, calls.ledger, {}).pipe(
    Effect.flatMap(existing(node)),
    Effect.map(({ ledger, ledger_index }) => ({
      height: height(numberOf(ledger_index)),
      time: timeOf(ledger.close_time)
    }))
  )

/** The client of the nodes at RIPPLE_RPC_URLS. */
export const make = Effect.gen(function* () {
  const nodes = yield* Upstream.make({
    name: "ripple-rpc",
    calls,
    urls: yield* declare.urls({
      name: "RIPPLE_RPC_URLS",
      default: ripple.nodes,
      meaning: "JSON-RPC nodes of the XRP Ledger"
    }),
    // No rate is documented. By default Clio rejects more than 20 calls per second, or 20 connections at once.
    rate: { source: "RIPPLE_RPC", keyless: { perSecond: 15, burst: 5 } },
    canary: (node) =>
      Effect.filterOrFail(
        call(node, calls.accountInfo, { account: canaryAccount, ledger_index: "validated" }),
        Option.isSome,
        () => node.fault({ reason: "bad_answer", detail: "the node serves another ledger" })
      )
  })

  const check = yield* headCheck(ripple)
  const isCurrent = (node: Upstream.Endpoint) => check(node, headOf(node))

  return {
    nodes,
    isCurrent,
    head: headOf,
    send: (transaction) => nodes.once((node) => submitTo(node, transaction)),
    find: findAt,
    stateOf: stateAt,
    transaction: transactionAt,
    transactions: (node, page) => call(node, calls.accountTx, page),
    openAccount: (address) => nodes.over((node) => call(node, calls.openAccount, { account: address })),
    flags: (address) =>
      Effect.map(
        nodes.over((node) => call(node, calls.accountFlags, { account: address })),
        Option.map(({ account_data }) => account_data.Flags)
      ),
    issuer: (address) =>
      Effect.map(
        nodes.over((node) => Effect.zipRight(isCurrent(node), call(node, calls.accountFlags, { account: address }))),
        Option.map(({ account_data: { Flags, RegularKey } }) => ({ flags: Flags, regularKey: RegularKey }))
      ),
    obligation: (issuer, currency) =>
      Effect.map(
        nodes.over((node) => Effect.zipRight(isCurrent(node), call(node, calls.gatewayBalances, { account: issuer }))),
        (found) => Option.getOrUndefined(found)?.obligations?.[currency]
      ),
    server: (node) => Effect.flatMap(call(node, calls.serverInfo, {}), existing(node)),
    fee: (node) => Effect.flatMap(call(node, calls.fee, {}), existing(node)),
    account: accountAt(nodes, isCurrent),
    linesTo: (address, issuer) =>
      nodes.over((node) =>
        Effect.zipRight(
          isCurrent(node),
          Effect.map(
            allLines(node, { account: address, peer: issuer, ledger_index: "validated" }),
            Option.getOrElse((): ReadonlyArray<TrustLine> => [])
          )
        )
      )
  } satisfies RippleProvider as RippleProvider
})

/** Reads accounts with their lines; only without them, if no node returns the complete list. */
const accountAt =
  (nodes: Upstream.Upstream, isCurrent: RippleProvider["isCurrent"]): RippleProvider["account"] =>
  (address, withLines) =>
    Effect.suspend(() => {
      let withoutLines: RippleAccount | undefined
      const read = (node: Upstream.Endpoint) =>
        Effect.gen(function* () {
          yield* isCurrent(node)
          const params = { account: address, ledger_index: "validated" }
          const [account, first] = yield* Effect.all(
            [
              call(node, calls.accountInfo, params),
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
    })

type AccountParams = Omit<Parameters<typeof calls.accountLines.params>[0], "marker">

/** Reads a page of trust lines; none if the account does not exist. */
const linesPage = (node: Upstream.Endpoint, params: AccountParams, marker?: unknown) =>
  call(node, calls.accountLines, { ...params, ...(marker === undefined ? {} : { marker }) })

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
      const response = yield* page === 0 ? first : linesPage(node, params, marker)
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

/** The result of a call that is not about an account. */
const existing =
  (node: Upstream.Endpoint) =>
  <A>(found: Option.Option<A>): Either.Either<A, UpstreamError> =>
    Either.fromOption(found, () => node.fault(contradiction))
