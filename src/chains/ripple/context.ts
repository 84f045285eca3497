import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ripple } from "../../catalogue/ripple.ts"
import type { RippleContext } from "../../domain/TransactionContext.ts"
import { height, now, secondsOf, shift, toSeconds } from "../../domain/units.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { withShared } from "../kit/context/Contexts.ts"
import { Uint32 } from "../kit/holdings/amounts.ts"
import { requireHead } from "../kit/status/currentHead.ts"
import { Drops, FeeDrops } from "./amount.ts"
import { call, contradiction } from "./Client.ts"

// account_info with the queue, server_info and fee (xrpl.org/docs/references/http-websocket-apis); reserves and
// sequences as in xrpl.org/docs/concepts/accounts.

/** The index of a ledger; the first ledger that still exists is 32570. */
const Index = Uint32.pipe(Schema.greaterThanOrEqualTo(32_570))

const Sequence = Uint32.pipe(Schema.positive())

/** The account in the open ledger, which includes transactions that are not validated yet. */
const accountInfo = (account: string) =>
  Schema.Struct({
    account_data: Schema.Struct({
      Account: Schema.Literal(account),
      Balance: Drops,
      Sequence,
      OwnerCount: Uint32
    }),
    /** Transactions that wait for a later ledger. */
    queue_data: Schema.optional(Schema.Struct({ highest_sequence: Schema.optional(Sequence) }))
  })

/** An amount of XRP as a JSON number with at most six decimals. */
const reserve = (most: bigint) =>
  Schema.Number.pipe(
    Schema.positive(),
    Schema.filter((xrp) => toDrops(xrp) <= most)
  )
const toDrops = (xrp: number) => BigInt(Math.round(xrp * 1_000_000))

const ServerInfo = Schema.Struct({
  info: Schema.Struct({
    /** That of the server's clock, such as `2026-Mar-03 03:04:46.673396 UTC`. */
    time: Schema.optional(Schema.String),
    validated_ledger: Schema.Struct({
      seq: Index,
      /** Seconds since it was closed, by the server's clock. */
      age: Schema.NonNegative,
      reserve_base_xrp: reserve(ripple.maxReserve.base),
      reserve_inc_xrp: reserve(ripple.maxReserve.increment)
    })
  })
})

const Fee = Schema.Struct({ drops: Schema.Struct({ base_fee: FeeDrops, open_ledger_fee: FeeDrops }) })

/** The data that all addresses share. Amounts are in drops. */
interface RippleNetwork {
  readonly ledger: number
  readonly reserveBase: bigint
  readonly reserveIncrement: bigint
  readonly baseFee: string
  readonly openLedgerFee: string
}

/** Reads what is needed to build transactions; the state of the ledger once for all addresses. */
export const contexts = (nodes: Upstream) =>
  withShared(
    () => network(nodes),
    (address, shared) => read(nodes, address, shared)
  )

/** Reads the state of the ledger with two calls to one node, for all addresses. */
export const network = (nodes: Upstream): Effect.Effect<RippleNetwork, UpstreamError> =>
  nodes.over((node) =>
    Effect.gen(function* () {
      const [server, fee] = yield* Effect.all([call(node, "server_info", {}, ServerInfo), call(node, "fee", {}, Fee)], {
        concurrency: 2
      })
      if (Option.isNone(server) || Option.isNone(fee)) return yield* node.fault(contradiction)
      const { age, reserve_base_xrp, reserve_inc_xrp, seq } = server.value.info.validated_ledger
      const { time } = server.value.info
      const clock = time === undefined ? toSeconds(yield* now) : secondsOf(time)
      yield* requireHead(node, ripple, { height: height(seq), time: shift(clock, -age) })
      return {
        ledger: seq,
        reserveBase: toDrops(reserve_base_xrp),
        reserveIncrement: toDrops(reserve_inc_xrp),
        baseFee: fee.value.drops.base_fee,
        openLedgerFee: fee.value.drops.open_ledger_fee
      }
    })
  )

/** Reads the data needed to build a transaction of an address. */
const read = (
  nodes: Upstream,
  address: string,
  { reserveBase, reserveIncrement, ...shared }: RippleNetwork
): Effect.Effect<RippleContext, UpstreamError> =>
  Effect.map(
    nodes.over((node) =>
      call(node, "account_info", { account: address, ledger_index: "current", queue: true }, accountInfo(address))
    ),
    (found) => {
      const { account_data: account, queue_data: queue } = Option.getOrElse(found, () => absent)
      return {
        family: "ripple" as const,
        activated: Option.isSome(found),
        sequence: Option.isNone(found) ? null : Math.max(account.Sequence, (queue?.highest_sequence ?? -1) + 1),
        balance: account.Balance,
        ownerCount: account.OwnerCount,
        ...shared,
        reserveBase: String(reserveBase),
        reserveIncrement: String(reserveIncrement),
        reserve: String(reserveBase + BigInt(account.OwnerCount) * reserveIncrement)
      }
    }
  )

const absent: Pick<ReturnType<typeof accountInfo>["Type"], "account_data" | "queue_data"> = {
  account_data: { Account: "", Balance: "0", Sequence: 0, OwnerCount: 0 }
}
