import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Holding } from "../../../src/chains/Chain.ts"
import { decimal } from "../../../src/chains/ripple/amount.ts"
import type { Transaction } from "../../../src/domain/Transaction.ts"
import type { RegisteredToken } from "../../../src/providers/TokenRegistry.ts"
import { read, row, seen } from "../../chains/ripple/historyNodes.ts"
import { alice, bob, isForHead, network, rlusd, token } from "../../chains/ripple/ripple.ts"
import type { Exchange } from "../../support/fixtures.ts"
import { rowOf } from "../../support/histories.ts"
import { json, type Reply, type SentRequest } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import type { Read } from "../table.ts"

type Body = Readonly<Record<string, unknown>> & { readonly result?: Body }

const bodyOf = ({ response }: Exchange) => response.body as Body

/** Converts a recording to the format of HTTP. WebSocket frames have the status and an error outside the result. */
const toReply = (recording: Exchange, changes: Body = {}, defaults: Body = {}): Reply => {
  const { id: _, result, type: __, ...rest } = bodyOf(recording)
  return json({ result: result === undefined ? rest : { status: "success", ...defaults, ...result, ...changes } })
}

const isForLines = ({ body }: SentRequest) => body.includes("account_lines")

interface Line {
  readonly account: string
  readonly currency: string
  readonly balance: string
}

/** The tokens of trust lines, with their addresses as ids. */
const tokensOf = (recording: Exchange) =>
  ((bodyOf(recording).result?.lines ?? []) as ReadonlyArray<Line>).map(({ account, currency }) =>
    token(`${account}.${currency}`, `${account}.${currency}`)
  )

const shown = ({ amount, asset }: Holding) =>
  asset === "native" ? ["xrp", Either.getOrThrow(amount)] : [asset.coinId, Either.getOrThrow(amount), asset.decimals]

const heldFrom = (handler: (request: SentRequest) => Reply, holder: string, tokens?: ReadonlyArray<RegisteredToken>) =>
  Effect.gen(function* () {
    const { chain } = yield* network(handler, tokens)
    const { addresses, unreadTokens } = yield* settled(chain.holdings([holder]))
    const unread = (unreadTokens ?? []).flatMap((failure) => failure?.reason ?? [])
    return [...addresses.flatMap((found) => Either.getOrThrow(found).map(shown)), ...unread]
  })

/** What an account holds by its trust lines, in a ledger that is validated or not, and why others are not read. */
export const held =
  (holder = alice, tokens?: ReadonlyArray<RegisteredToken>, changes: Body = {}): Read =>
  (lines, account = lines) =>
    heldFrom(
      (request) => (isForLines(request) ? toReply(lines, changes) : toReply(account)),
      holder,
      tokens ?? tokensOf(lines)
    )

/** What Alice holds by the trust lines in a list of an account's objects, and the limit of the second. */
export const heldInObjects: Read = (objects, account) =>
  Effect.gen(function* () {
    const found = bodyOf(objects).result?.account_objects as ReadonlyArray<{
      readonly Balance: { readonly currency: string; readonly value: string }
      readonly HighLimit: { readonly issuer: string }
      readonly LowLimit: { readonly value: string }
    }>
    const lines = found.map(({ Balance: { currency, value: balance }, HighLimit }) => ({
      account: HighLimit.issuer,
      currency,
      balance
    }))
    const handler = (request: SentRequest) =>
      isForLines(request) || account === undefined
        ? json({ result: { account: alice, lines, status: "success" } })
        : toReply(account)
    return [...(yield* heldFrom(handler, alice)), Option.getOrThrow(decimal(found[1]?.LowLimit.value ?? ""))]
  })

/** What an account that does not exist holds, and how many calls read it; and its RLUSD alone. */
export const heldByNone =
  (holder: string): Read =>
  (recording) =>
    Effect.gen(function* () {
      const { holding, holdings, requests } = yield* network(() => toReply(recording))
      const [found] = yield* Effect.all(yield* settled(holdings([holder])))
      const calls = requests.filter((request) => !isForHead(request)).length
      return [...(found ?? []).map(shown), calls, shown(yield* settled(holding(holder, Option.some(rlusd.address))))]
    })

/** The XRP of an account. */
export const coins =
  (holder: string): Read =>
  (recording) =>
    Effect.gen(function* () {
      const { holding } = yield* network(() => toReply(recording))
      return shown(yield* settled(holding(holder, Option.none())))
    })

/** Why Bob's XRP and RLUSD cannot be read from this. */
export const faults: Read = (recording) =>
  Effect.gen(function* () {
    const { holding } = yield* network(() => toReply(recording))
    const read = yield* Effect.forEach([Option.none(), Option.some(rlusd.address)], (asset) =>
      settled(Effect.flip(holding(bob, asset)))
    )
    return [...new Set(read.map(({ reason }) => reason))]
  })

/** Each transaction in a line, with its number, and its ledger and place there. */
const linesOf = (holder: string, transactions: ReadonlyArray<Transaction>) => {
  const names = new Map([
    [holder, "me"],
    [rlusd.address, "RLUSD"]
  ])
  const line = rowOf((address) => names.get(address) ?? address)
  return transactions.map((transaction) => {
    const { block, nonce, order } = transaction
    const place = block === undefined ? "in no ledger" : `in ${block} at ${(order ?? 0) % 65_536}`
    return `${line(transaction)}, ${nonce} ${place}`
  })
}

/** A recorded response to `tx` as its holder sees it; or recorded metadata, with the transaction that it belongs to. */
export const seenBy =
  (holder: string, ofMeta?: Body): Read =>
  (recording) => {
    const body = bodyOf(recording)
    const { meta, tx_json, validated, ...tx } = body.result ?? body
    const date = { date: 500_000_000 }
    const found =
      tx_json === undefined ? { tx, meta, validated } : { tx_json: { ...date, ...tx_json }, meta, validated }
    const made = { ...row(1), tx: { ...row(1).tx, ...ofMeta }, meta: body }
    return linesOf(holder, [seen(holder, ofMeta === undefined ? found : made)])[0]
  }

/** A history whose first page is this; the page after it is empty. Samples lack the ledgers that the node searched. */
const historyOf = (recording: Exchange, address: string) => {
  const searched = { ledger_index_min: 32_570 }
  const empty = json({ result: { ...searched, account: address, transactions: [], status: "success" } })
  return read(({ body }) => (body.includes("marker") ? empty : toReply(recording, {}, searched)), { address })
}

/** The transactions of a history, what is missing, and whether there are more. */
export const listed =
  (address: string): Read =>
  (recording) =>
    Effect.map(historyOf(recording, address), ({ part }) => {
      const { missing, more, transactions } = Either.getOrThrow(part)
      return [...linesOf(address, transactions), ...missing, ...(more ? ["more"] : [])]
    })

/** The sources of a history, and the markers of the calls for its pages. */
export const markers =
  (address: string): Read =>
  (recording) =>
    Effect.map(historyOf(recording, address), ({ part, requests }) => [
      ...(Either.getOrThrow(part).sources ?? []),
      ...requests.map(({ body }) => JSON.parse(body).params[0].marker)
    ])
