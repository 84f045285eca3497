import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { ton } from "../../../../catalogue/ton.ts"
import * as declare from "../../../../settings/declare.ts"
import * as Call from "../../../../upstream/Call.ts"
import * as ResponseSize from "../../../../upstream/response/ResponseSize.ts"
import * as Upstream from "../../../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../../../upstream/UpstreamError.ts"
import type { Jetton, OwnedJettons, TonPrices, TonProvider } from "../../Provider.ts"
import { nodeResponse } from "../../TonTransactions.ts"
import { behindCheck, currentHead, inChunks, requireCurrentHead } from "../reading.ts"
import { balancesIn, contextsIn } from "./accounts.ts"
import * as calls from "./calls.ts"
import { decimalsIn, masterIn, multiplierIn, walletsIn } from "./jettons.ts"
import { gasPrices, messagePrices } from "./prices.ts"
import { accountHistory } from "./ToncenterHistory.ts"
import { rowsIn } from "./traces.ts"

/** The page limit of jettons: more pages cannot be read within any deadline. */
const maxPages = 50

const connect = Effect.gen(function* () {
  const url = yield* declare.url({
    name: "TONCENTER_URL",
    default: ton.indexers.toncenter,
    meaning: "Base address of TON Center, which serves /api/v2 and /api/v3"
  })
  const key = yield* declare.secret({
    name: "TONCENTER_API_KEY",
    allowed: "a key of toncenter.com",
    meaning: "TON Center API key"
  })
  return yield* Upstream.make({
    name: "toncenter",
    urls: [url],
    calls,
    size: ResponseSize.rows,
    rate: { source: "TONCENTER", keyless: { perSecond: 1, burst: 1 }, keyed: { perSecond: 10, burst: 10 } },
    canary: (address) =>
      Call.convertingAt(address, calls.decodeOptions)(calls.accountStates, { addresses: [] }, balancesIn([])),
    ...(key === undefined ? {} : { keys: { "X-API-Key": key } })
  })
})

/**
 * Reads every jetton wallet of the owners, including empty wallets: otherwise a wallet that becomes empty between two
 * pages would shift a row from the next page to the previous page, where it is not read. Equal rows count once; the amount
 * of a jetton with different ones is unknown.
 */
const jettonsOf = (upstream: Upstream.Upstream, read: Call.CallReader, owners: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const byOwner = new Map(owners.map((owner) => [owner, new Map<string, Jetton>()]))
    let unread: UpstreamError | undefined
    for (let page = 0; page < maxPages; page++) {
      const found = yield* read(calls.jettonWallets, { owners, offset: page * calls.rowsPerPage })
      const { rows, total, unread: fault } = walletsIn(found, owners)
      unread ??= fault && upstream.fault(fault)
      for (const { owner, master, ...jetton } of rows) {
        const before = byOwner.get(owner)?.get(master)
        const isEqual = before === undefined || before.amount === jetton.amount
        byOwner.get(owner)?.set(master, isEqual ? jetton : { ...jetton, amount: undefined })
      }
      if (total < calls.rowsPerPage)
        return (owner: string): OwnedJettons => ({ byMaster: byOwner.get(owner) ?? none, unread })
    }
    return yield* upstream.over((address) => Effect.fail(address.fault(tooMany)))
  })

/** Reads the prices of gas and messages, which two parameters of the configuration have. */
const pricesOf = (read: Call.ConvertingReader): Effect.Effect<TonPrices, UpstreamError> => {
  const parameter = <A>(id: number, decode: (cell: string) => A | undefined) =>
    read(calls.configParameter, { id }, ({ result }) =>
      Either.fromNullable(decode(result.config.bytes), () => unreadable)
    )
  return Effect.all({ gas: parameter(21, gasPrices), message: parameter(25, messagePrices) }, { concurrency: 2 })
}

/** Each master has its own call. */
const infosOf =
  (read: Call.ConvertingReader): TonProvider["infos"] =>
  (masters, report) =>
    Effect.forEach(
      masters,
      (master) =>
        Effect.map(Effect.either(read(calls.displayMultiplier, { master }, multiplierIn)), (result) =>
          report(
            master,
            Either.map(result, (multiplier) => ({ multiplier, decimals: undefined }))
          )
        ),
      { concurrency: "unbounded", discard: true }
    )

/** Looks up transactions by their own hashes, and those that it does not find by the hashes of messages. */
const rowsOf = (read: Call.ConvertingReader) => (hashes: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const own = yield* read(calls.tracesOfTransactions, { hashes }, rowsIn(hashes))
    const open = hashes.filter((hash) => !own.rows.has(hash))
    if (open.length === 0) return own
    const { isWhole, rows: others } = yield* Effect.orElseSucceed(
      read(calls.tracesOfMessages, { hashes: open }, rowsIn(open)),
      () => unknownRows
    )
    return { rows: new Map([...own.rows, ...others]), isWhole: own.isWhole && isWhole }
  })

/** The preferred indexer: it accepts many addresses per call. */
export const make = Effect.gen(function* () {
  const upstream = yield* connect
  const read = Call.reading(upstream, calls.decodeOptions)
  const converted = Call.converting(upstream, calls.decodeOptions)

  const head = Effect.map(read(calls.masterchainInfo, {}), ({ last }) => ({ height: last.seqno, time: last.gen_utime }))
  const current = yield* currentHead(upstream, head)
  const notBehind = yield* behindCheck(upstream, head)

  /** It returns a list, which is empty if there is no such transaction. */
  const find = (call: typeof calls.transaction | typeof calls.transactionOfMessage) => (hash: string) =>
    converted(call, { hash }, ({ transactions }, answer) =>
      Either.right(nodeResponse(transactions.length === 0 ? "unknown" : "done", answer))
    )

  const provider: TonProvider = {
    name: upstream.name,
    standing: upstream.standing,
    fault: upstream.fault,
    head,
    current,
    notBehind,
    balances: requireCurrentHead(notBehind)(
      inChunks((addresses) =>
        Effect.map(
          converted(calls.accountStates, { addresses }, balancesIn(addresses)),
          (balanceOf) => (address) => Either.mapLeft(balanceOf(address), upstream.fault)
        )
      )
    ),
    jettons: requireCurrentHead(notBehind)(
      inChunks((addresses) =>
        Effect.map(jettonsOf(upstream, read, addresses), (owned) => (address) => Either.right(owned(address)))
      )
    ),
    jetton: (owner, master) =>
      Effect.flatMap(
        Effect.zipRight(notBehind, read(calls.jettonWallets, { owners: [owner], master, offset: 0 })),
        (found) => {
          const {
            rows: [row],
            unread
          } = walletsIn(found, [owner], master)
          return row === undefined && unread !== undefined
            ? Effect.fail(upstream.fault(unread))
            : Effect.succeed(row ?? { amount: 0n, decimals: undefined })
        }
      ),
    decimals: (master) => converted(calls.jettonMaster, { master }, decimalsIn(master)),
    master: (master) => converted(calls.jettonMaster, { master }, masterIn(master)),
    infos: requireCurrentHead(notBehind)(infosOf(converted)),
    history: accountHistory(upstream.name, converted),
    contexts: requireCurrentHead(current)(
      inChunks((addresses) =>
        Effect.map(
          converted(calls.walletStates, { addresses }, contextsIn(addresses)),
          (contextOf) => (address) => Either.mapLeft(contextOf(address), upstream.fault)
        )
      )
    ),
    transaction: find(calls.transaction),
    transactionOfMessage: find(calls.transactionOfMessage),
    transactions: rowsOf(converted),
    prices: pricesOf(converted)
  }
  return { ...provider, upstream }
})

const none: ReadonlyMap<string, never> = new Map<string, never>()
const unknownRows = { rows: none, isWhole: false }
const tooMany = { reason: "bad_answer", detail: "returned more jettons than can be read", final: true } as const
const unreadable: Fault = { reason: "bad_answer", detail: "returned a configuration that cannot be read" }
