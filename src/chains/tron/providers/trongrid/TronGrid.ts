import * as Effect from "effect/Effect"
import { tron } from "../../../../catalogue/tron.ts"
import { numberOf, toMillis, toSeconds } from "../../../../domain/units.ts"
import * as declare from "../../../../settings/declare.ts"
import * as Call from "../../../../upstream/Call.ts"
import * as Upstream from "../../../../upstream/Upstream.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import type { List } from "../../../kit/history/mergePaged.ts"
import { headCheck, requireHead } from "../../../kit/status/currentHead.ts"
import type { TronProvider } from "../../Provider.ts"
import { findAt, sendTo } from "./broadcast.ts"
import * as calls from "./calls.ts"
import { canary, contractsOf } from "./contracts.ts"
import * as indexCalls from "./indexCalls.ts"
import { page, type TronRow, transactionRow, transferRow } from "./rows.ts"
import { transactionOf } from "./transactions.ts"

const connect = Effect.gen(function* () {
  const url = yield* declare.url({
    name: "TRONGRID_URL",
    default: tron.indexers.trongrid,
    meaning: "Base address of TronGrid, or of a node of Tron with the same HTTP API"
  })
  const key = yield* declare.secret({
    name: "TRONGRID_API_KEY",
    allowed: "an API key of TronGrid",
    meaning: "TronGrid API key"
  })
  return yield* Upstream.make({
    ...calls.decodeOptions,
    name: "trongrid",
    urls: [url],
    calls: { ...calls, ...indexCalls },
    // Rates are no longer documented; keyless and keyed users report these.
    rate: { source: "TRONGRID", keyless: { perSecond: 3, burst: 4 }, keyed: { perSecond: 15, burst: 15 } },
    canary,
    ...(key === undefined ? {} : { keys: { "TRON-PRO-API-KEY": key } })
  })
})

/** TronGrid: TRONGRID_URL, with TRONGRID_API_KEY if it is set. */
export const make = Effect.gen(function* () {
  const trongrid = yield* connect
  const read = Call.reading(trongrid, calls.decodeOptions)
  const converted = Call.converting(trongrid, calls.decodeOptions)
  // The check of the newest block is of the node: responses of the index do not show how far it has got.
  const check = yield* headCheck(tron)
  const left = (limit: number, used: number) => Math.max(limit - used, 0)

  /** A list of an address, in a range of block times. */
  const listed = <A, I>(
    name: string,
    call: Call.Call<string, indexCalls.ListPage, undefined, indexCalls.Listed<A>, I>,
    range: Omit<indexCalls.ListPage, "fingerprint">,
    rowOf: (row: A) => TronRow
  ): List<TronRow> => {
    const rowsOf = page(range.address, rowOf)
    return { name, page: (fingerprint) => converted(call, { ...range, fingerprint }, rowsOf) }
  }

  return {
    name: trongrid.name,
    standing: trongrid.standing,
    fault: trongrid.fault,
    isCurrent: trongrid.over((node) => check(node, headOf(node))),
    ...contractsOf(trongrid),
    trx: (address) => Effect.map(read(calls.account, { address }), (account) => account?.balance),
    staked: (address) =>
      Effect.map(
        read(calls.stakedAccount, { address }),
        (account) => account && { balance: account.balance, staked: stakedIn(account) }
      ),
    rewards: (address) => Effect.map(read(calls.reward, { address }), ({ reward }) => reward),
    resources: (address) =>
      Effect.map(read(calls.resources, { address }), (found) => ({
        freeBandwidth: found === undefined ? 0 : left(found.freeNetLimit, found.freeNetUsed),
        stakedBandwidth: found === undefined ? 0 : left(found.NetLimit, found.NetUsed),
        energy: found === undefined ? 0 : left(found.EnergyLimit, found.EnergyUsed),
        isReturned: found !== undefined
      })),
    indexed: (address) =>
      Effect.gen(function* () {
        const { data } = yield* read(indexCalls.indexedAccount, { address })
        const [account] = data
        if (account !== undefined) return { ...account, isKnown: true }
        const tokens = yield* read(indexCalls.tokenBalances, { address })
        return { isKnown: false, balance: 0n, trc20: tokens.data }
      }),
    lists: (address, since, until) => {
      const [min, max] = [since && numberOf(toMillis(since)), until && numberOf(until)]
      return [
        listed("transactions", indexCalls.transactions, { address, min, max }, transactionRow),
        listed("token transfers", indexCalls.transfers, { address, min, max }, transferRow)
      ]
    },
    newest: newestOf(trongrid, calls.newestBlock),
    solidified: newestOf(trongrid, calls.solidifiedBlock),
    included: (id) => read(calls.transactionInfo, { id }),
    expirationOf: (id) => Effect.map(read(calls.transaction, { id }), (found) => found?.raw_data.expiration),
    transaction: transactionOf(read, trongrid.fault),
    send: sendTo(trongrid),
    find: findAt(trongrid),
    nodes: trongrid,
    parameters: (node) =>
      Effect.map(
        Call.readAt(node, calls.chainParameters, {}, calls.decodeOptions),
        ({ chainParameter }) => chainParameter
      )
  } satisfies TronProvider as TronProvider
})

type BlockCall = typeof calls.newestBlock | typeof calls.solidifiedBlock

const blockAt = (node: Upstream.Endpoint, call: BlockCall) =>
  Effect.map(Call.readAt(node, call, {}, calls.decodeOptions), ({ block_header: { raw_data }, blockID }) => ({
    ...raw_data,
    blockID,
    time: toSeconds(raw_data.timestamp)
  }))

/** The newest block, without its hash. */
const headOf = (node: Upstream.Endpoint) =>
  Effect.map(blockAt(node, calls.newestBlock), ({ number, time }) => ({ height: number, time }))

/** Reads a block that must fit the clock, with its reference (developers.tron.network/docs/tron-protocol-transaction). */
const newestOf = (trongrid: Upstream.Upstream, call: BlockCall): TronProvider["newest"] =>
  trongrid.over((node) =>
    Effect.gen(function* () {
      const { blockID, number, time, timestamp } = yield* blockAt(node, call)
      // A block id starts with the height of the block.
      if (BigInt(`0x${blockID.slice(0, 16)}`) !== BigInt(numberOf(number))) return yield* node.fault(otherBlock)
      yield* requireHead(node, tron, { height: number, time })
      const reference = { refBlockBytes: blockID.slice(12, 16), refBlockHash: blockID.slice(16, 32) }
      return { number, hash: blockID, timestamp, ...reference }
    })
  )

const otherBlock: Fault = { reason: "bad_answer", detail: "returned a block whose id does not match its height" }

/** All staked TRX, including amounts that are being unstaked. */
const stakedIn = (account: NonNullable<typeof calls.stakedAccount.response.Type>): bigint =>
  [
    ...account.frozen.map((stake) => stake.frozen_balance),
    ...account.frozenV2.map((stake) => stake.amount),
    ...account.unfrozenV2.map((stake) => stake.unfreeze_amount),
    account.delegated_frozen_balance_for_bandwidth,
    account.delegated_frozenV2_balance_for_bandwidth,
    account.account_resource?.frozen_balance_for_energy?.frozen_balance ?? 0n,
    account.account_resource?.delegated_frozen_balance_for_energy ?? 0n,
    account.account_resource?.delegated_frozenV2_balance_for_energy ?? 0n
  ].reduce((total, amount) => total + amount, 0n)
