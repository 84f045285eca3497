import { createHash } from "node:crypto"
import { formatUnits } from "viem/utils"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as PolkadotAddress from "../../chains/polkadot/PolkadotAddress.ts"
import { type Move, sequences } from "../world/ledger.ts"
import type * as World from "../world/World.ts"
import { blockHash, heightAt, type SignedExtrinsic } from "./PolkadotSent.ts"

// Transfers and extrinsics in Subscan's format (support.subscan.io, API reference).

export type SubscanChain = "hub" | "relay"

/** A move with the account in whose list it is. */
export interface SubscanMove {
  readonly holder: string
  readonly move: Move
  /** The swap that brings in the coins of this move. */
  readonly swap?: Move
}

/** Migration of DOT from the relay chain to Asset Hub: 4 November 2025, UNIX seconds. */
const migration = Date.UTC(2025, 10, 4, 8) / 1000

/** Difference between the block heights of the relay chain and Asset Hub at that time. */
const older = 14_783_302

/** DOT transfers before the migration are on the relay chain, all others on Asset Hub. */
export const chainOf = ({ at, contract }: Move): SubscanChain =>
  at < migration && contract === undefined ? "relay" : "hub"

/** Index of an extrinsic in its block. A block takes six seconds; extrinsics of different seconds get different ones. */
const indexOf = ({ at, ordinal = 0, rank = 0 }: Move) => 2 + 1_000 * (at % 6) + ordinal + rank

export const placeOf = (move: Move) => {
  const { at, exhibit, failed, id } = move
  const block = heightAt(at * 1000) + (chainOf(move) === "relay" ? older : 0)
  return {
    block_num: block,
    block_timestamp: at,
    extrinsic_index: `${block}-${indexOf(move)}`,
    success: !failed || exhibit === failedInEvents,
    hash: `0x${id}`
  }
}

/** Subscan has returned success beside the event of a failure. */
const failedInEvents = "failed in its events"

/** Whether the list of transfers contains a move. */
export const isListed = ({ move: { exhibit, failed } }: SubscanMove): boolean => !failed || exhibit === failedInEvents

/** Indexes of events in the block: the fee is paid before the transfers. */
const [feeEvent, transferEvent] = [6, 7]

/** Transfers of a move; a swap is followed by the transfer of the received coins in the same extrinsic. */
export const transfersOf = ({ holder, move: { received, ...move } }: SubscanMove): ReadonlyArray<SubscanMove> => {
  const { contract: _, ...coins } = move
  return received === undefined
    ? [{ holder, move }]
    : [
        { holder, move },
        { holder, move: { ...coins, direction: "in", amount: received }, swap: move }
      ]
}

/** Row of the list of transfers. */
export const transferRow = (facts: NetworkFacts, listed: SubscanMove) => {
  const { swap } = listed
  const row = transfer(facts, listed)
  return swap === undefined ? exhibited(row, listed.move) : { ...row, ...placeOf(swap), event_idx: transferEvent + 1 }
}

/** Coins of a transfer to itself. */
const toItself = "14"

/** A row in the form of an exhibit. */
const exhibited = (row: ReturnType<typeof transfer>, { exhibit }: Move) => {
  switch (exhibit) {
    case "without an extrinsic":
      return { ...row, hash: "", amount_v2: "0", fee: "0", asset_type: "" }
    case "transfer to itself": {
      // Old rows have fewer members.
      const { block_num, block_timestamp, extrinsic_index, fee, from, hash, module, success } = row
      const place = { block_timestamp, block_num, extrinsic_index, success, fee }
      return { from, to: from, module, amount: toItself, hash, ...place }
    }
    case "other symbol":
      return { ...row, asset_symbol: "USDR" }
    default:
      return row
  }
}

const otherOf = ({ counterparty, seed }: Move) => counterparty ?? `0x${seed}`

/** Public keys of the sender and the recipient of a move. */
const sidesOf = ({ holder, move }: SubscanMove) =>
  (move.direction === "out" ? [holder, otherOf(move)] : [otherOf(move), holder]) as readonly [
    `0x${string}`,
    `0x${string}`
  ]

const transfer = (facts: NetworkFacts, listed: SubscanMove) => {
  const { amount, contract, fee } = listed.move
  const [from = "", to = ""] = sidesOf(listed).map(PolkadotAddress.format)
  const decimals = contract?.decimals ?? facts.native.decimals
  return {
    ...placeOf(listed.move),
    from,
    to,
    event_idx: transferEvent,
    module: moduleOf(listed.move),
    amount: formatUnits(amount, decimals),
    amount_v2: String(amount),
    fee: String(fee),
    asset_symbol: contract?.coin.symbol.toUpperCase() ?? facts.native.symbol,
    asset_type: contract === undefined ? "builtin" : "assets",
    asset_unique_id: contract === undefined ? facts.native.symbol : `standard_assets/${contract.address}`
  }
}

const moduleOf = ({ contract }: Move) => (contract === undefined ? "balances" : "assets")

/** The signed parts of an extrinsic: of a sent one, or generated ones with an invalid signature. */
const signedOf = (facts: World.InWorld<NetworkFacts>, listed: SubscanMove): SignedExtrinsic => {
  const { details, id, seed } = listed.move
  if (details !== undefined) return details as SignedExtrinsic
  const [from] = sidesOf(listed)
  const birth = placeOf(listed.move).block_num - 6
  return {
    function: "transfer_keep_alive",
    nonce: sequences(facts, from).get(id) ?? Number.parseInt(seed.slice(-2), 16),
    tip: 0n,
    signature: `0x${id}${seed}`,
    lifetime: { birth, death: birth + 1_024 }
  }
}

/** Row of the list of extrinsics. */
export const extrinsicRow = (facts: World.InWorld<NetworkFacts>, listed: SubscanMove) => {
  const { hash, ...place } = placeOf(listed.move)
  const { exhibit, fee } = listed.move
  const { function: call_module_function, nonce, tip } = signedOf(facts, listed)
  return {
    ...place,
    extrinsic_hash: hash,
    ...(exhibit === failedInEvents ? { event: eventsOf(listed, tip) } : {}),
    call_module: moduleOf(listed.move),
    call_module_function,
    account_display: { address: PolkadotAddress.format(sidesOf(listed)[0]) },
    nonce,
    fee: String(fee * 2n),
    fee_used: String(fee),
    tip: String(tip),
    finalized: true
  }
}

const parameter = (name: string, type: string, type_name: string, value: unknown) => ({ name, type, type_name, value })
const account = (name: string, value: string) => parameter(name, "[U8; 32]", "AccountId", value)
const balance = (name: string, value: bigint) => parameter(name, "U128", "Balance", String(value))

/** Events of an extrinsic, in their order in the block. */
const eventsOf = (listed: SubscanMove, tip: bigint) => {
  const { amount, contract, failed, fee, received } = listed.move
  const [from, to] = sidesOf(listed)
  const moved = (payer: string, payee: string, value: bigint) =>
    contract === undefined
      ? (["balances", "Transfer", account("from", payer), account("to", payee), balance("amount", value)] as const)
      : ([
          "assets",
          "Transferred",
          parameter("asset_id", "U32", "AssetId", Number(contract.address)),
          account("from", payer),
          account("to", payee),
          balance("amount", value)
        ] as const)
  const back = [
    "balances",
    "Transfer",
    account("from", to),
    account("to", from),
    balance("amount", received ?? 0n)
  ] as const
  const dispatched = parameter("dispatch_info", "frame_support:dispatch:DispatchInfo", "DispatchInfo", {
    class: "Normal",
    pays_fee: "Yes",
    weight: { proof_size: 3_593, ref_time: 254_268_000 }
  })
  const events = [
    ["balances", "Withdraw", account("who", from), balance("amount", fee)] as const,
    ...(failed ? [] : [moved(from, to, amount), ...(received === undefined ? [] : [back])]),
    [
      "transactionpayment",
      "TransactionFeePaid",
      account("who", from),
      balance("actual_fee", fee),
      balance("tip", tip)
    ] as const,
    ["system", failed ? "ExtrinsicFailed" : "ExtrinsicSuccess", dispatched] as const
  ]
  const { block_num, extrinsic_index, hash } = placeOf(listed.move)
  return events.map(([module_id, event_id, ...params], index) => ({
    event_index: extrinsic_index,
    block_num,
    extrinsic_idx: indexOf(listed.move),
    module_id,
    event_id,
    params: JSON.stringify(params),
    phase: 0,
    event_idx: feeEvent + index,
    extrinsic_hash: hash,
    finalized: true,
    block_timestamp: 0
  }))
}

/** An extrinsic that is looked up by hash. */
export const extrinsicDetail = (facts: World.InWorld<NetworkFacts>, listed: SubscanMove) => {
  const { lifetime, signature, tip } = signedOf(facts, listed)
  const { amount, contract, failed } = listed.move
  const [from, to] = sidesOf(listed).map(PolkadotAddress.format)
  const { amount: shown, asset_symbol, block_num, hash, module, success } = transfer(facts, listed)
  const event = eventsOf(listed, tip)
  const dest = parameter("dest", "sp_runtime:multiaddress:MultiAddress", "AccountIdLookupOf", {
    Id: sidesOf(listed)[1]
  })
  return {
    ...extrinsicRow(facts, listed),
    account_id: from,
    signature,
    params: [
      ...(contract === undefined
        ? []
        : [parameter("id", "compact<U32>", "AssetIdParameter", Number(contract.address))]),
      contract === undefined ? dest : { ...dest, name: "target" },
      parameter(contract === undefined ? "value" : "amount", "compact<U128>", "Balance", String(amount))
    ],
    transfer: {
      from,
      to,
      module,
      amount: shown,
      hash,
      success,
      asset_symbol,
      to_account_display: { address: to }
    },
    event,
    event_count: event.length,
    error:
      failed && !success
        ? { module: "Balances", name: "InsufficientBalance", doc: "Balance too low to send value.", value: "" }
        : null,
    lifetime,
    block_hash:
      chainOf(listed.move) === "hub"
        ? blockHash(block_num)
        : `0x${createHash("sha256").update(`relay ${block_num}`).digest("hex")}`,
    pending: false
  }
}
