import { createHash } from "node:crypto"
import { Address } from "@ton/core"

// Transactions in the formats of TON Center's API v3 and of TonAPI. The hashes of messages, states and generated
// transactions are those of their contents in words, not of their cells, which take too long to build for a list.

/** The message of a wallet's owner, or a message between contracts if it has a value. */
export interface TonMessageParts {
  readonly source: string | null
  readonly destination: string
  readonly value?: bigint
  readonly fwd?: bigint
  readonly opcode?: string
  readonly bounced?: boolean
  /** Real hashes and body of a message that was sent. */
  readonly external?: TonExternal
  readonly comment?: string
}

export interface TonExternal {
  readonly hash: string
  readonly normalized: string
  readonly bodyHash: string
  /** Bag of cells. */
  readonly body: string
}

/** A transaction of an account in a trace. */
export interface TonParts {
  readonly account: string
  /** Hexadecimal digits. */
  readonly hash: string
  readonly trace: string
  readonly lt: number
  readonly at: number
  readonly block: number
  readonly fees: bigint
  /** Coins of the account before and after it. */
  readonly balances: readonly [before: bigint, after: bigint]
  readonly received: TonMessageParts
  readonly sent: ReadonlyArray<TonMessageParts>
  readonly skipped: number
  /** Name of its form in a museum. */
  readonly exhibit?: string | undefined
}

/** Raw address in upper case, like in TON Center. */
export const upper = (address: string) => address.toUpperCase()
export const base64 = (hex: string) => Buffer.from(hex, "hex").toString("base64")

const digest = (...words: ReadonlyArray<unknown>) => createHash("sha256").update(words.join("|")).digest("base64")
const noHash = base64("00".repeat(32))

/** Body with an operation code and a comment: a cell of whole bytes, or an empty one, in a bag of cells. */
const contentOf = (opcode = "0x", comment = "") => {
  const data = opcode.slice(2) + Buffer.from(comment).toString("hex")
  const cell = `00${data.length.toString(16).padStart(2, "0")}${data}`
  const size = (cell.length / 2).toString(16).padStart(2, "0")
  return {
    hash: createHash("sha256").update(cell, "hex").digest("base64"),
    body: base64(`b5ee9c720101010100${size}00${cell}`),
    decoded: comment === "" ? null : { type: "text_comment", comment }
  }
}

const message = (parts: TonMessageParts, { at, trace }: TonParts, createdLt: number) => {
  const { bounced = false, comment, destination, external, fwd = 0n, opcode, source, value } = parts
  const internal = value !== undefined
  const own = digest(trace, source, destination, value, opcode)
  return {
    hash: external?.hash ?? own,
    source: source === null ? null : upper(source),
    destination: upper(destination),
    value: internal ? value.toString() : null,
    value_extra_currencies: internal ? {} : null,
    fwd_fee: internal ? fwd.toString() : null,
    ihr_fee: internal ? "0" : null,
    created_lt: internal ? String(createdLt) : null,
    created_at: internal ? String(at) : null,
    opcode: opcode ?? null,
    ihr_disabled: internal ? true : null,
    bounce: internal ? !bounced : null,
    bounced: internal ? bounced : null,
    import_fee: internal ? null : "0",
    message_content:
      external === undefined
        ? contentOf(opcode, comment)
        : { hash: external.bodyHash, body: external.body, decoded: null },
    init_state: null,
    ...(internal ? {} : { hash_norm: external?.normalized ?? digest("normalized", own) })
  }
}

const state = (account: string, lt: number, balance: bigint) => ({
  hash: digest("state", account, lt),
  balance: balance.toString(),
  extra_currencies: {},
  account_status: "active",
  frozen_hash: null,
  data_hash: digest("data", account, lt),
  code_hash: digest("code of a wallet")
})

/** Price of gas in nanotons, and the share of forwarding fees that the sender's transaction pays. */
const [gasPrice, firstShare] = [400n, 3n]

/** Credit of an external message in old rows of TON Center: an uninitialised number. */
const arbitrary = "16298225961743024383"

/** What happened in a transaction. */
const descriptionOf = ({ exhibit, fees, hash, received, sent, skipped }: TonParts) => {
  const forwarding = sent.reduce((sum, { fwd = 0n }) => sum + fwd, 0n)
  const paid = forwarding / firstShare
  const isAborted = exhibit === "before deployment" && received.source !== null
  const credit = received.value?.toString() ?? (exhibit === "comment" ? arbitrary : undefined)
  return {
    type: exhibit === "tick-tock" ? "tick_tock" : "ord",
    aborted: isAborted,
    destroyed: false,
    credit_first: received.source === null,
    storage_ph: { storage_fees_collected: "0", status_change: "unchanged" },
    ...(credit === undefined ? {} : { credit_ph: { credit } }),
    compute_ph: isAborted
      ? { skipped: true, reason: "no_state" }
      : {
          skipped: false,
          success: true,
          msg_state_used: false,
          account_activated: false,
          gas_fees: fees.toString(),
          gas_used: String(fees / gasPrice),
          gas_limit: String((received.value ?? 0n) / gasPrice),
          mode: 0,
          exit_code: 0,
          vm_steps: 62,
          vm_init_state_hash: noHash,
          vm_final_state_hash: noHash
        },
    ...(isAborted
      ? {}
      : {
          action: {
            success: true,
            valid: true,
            no_funds: false,
            status_change: "unchanged",
            total_fwd_fees: (forwarding + paid).toString(),
            total_action_fees: paid.toString(),
            result_code: 0,
            tot_actions: sent.length + skipped,
            spec_actions: 0,
            skipped_actions: skipped,
            msgs_created: sent.length,
            action_list_hash: digest("actions", hash),
            tot_msg_size: { cells: String(sent.length), bits: String(705 * sent.length) }
          }
        })
  }
}

/** Row of TON Center's `/api/v3/transactions`. */
export const toncenterRow = (parts: TonParts) => {
  const { account, at, balances, block, exhibit, fees, hash, lt, received, sent, trace } = parts
  return {
    account: upper(account),
    hash: base64(hash),
    trace_id: base64(trace),
    lt: String(lt),
    now: at,
    mc_block_seqno: block,
    prev_trans_hash: digest("previous", hash),
    prev_trans_lt: String(lt - 1_000),
    orig_status: "active",
    end_status: "active",
    total_fees: fees.toString(),
    total_fees_extra_currencies: {},
    description: descriptionOf(parts),
    block_ref: { workchain: 0, shard: "8000000000000000", seqno: block + 5_173_690 },
    in_msg: exhibit === "tick-tock" ? null : message(received, parts, lt - 1),
    out_msgs: sent.map((each, index) => message(each, parts, lt + 1 + index)),
    account_state_before: state(account, lt - 1_000, balances[0]),
    account_state_after: state(account, lt, balances[1]),
    // Old rows do not say whether they are emulated.
    ...(exhibit === "comment" ? {} : { emulated: false })
  }
}

export type TonWireTransaction = ReturnType<typeof toncenterRow>
export type TonWireMessage = NonNullable<TonWireTransaction["in_msg"]>

/** Addresses of a transaction with their other forms. */
export const addressBook = ({ account, in_msg, out_msgs }: TonWireTransaction) =>
  Object.fromEntries(
    [
      account,
      ...[...(in_msg === null ? [] : [in_msg]), ...out_msgs].flatMap(({ destination, source }) => [
        source ?? destination,
        destination
      ])
    ].map((address) => [address, { user_friendly: Address.parse(address).toString(), domain: null }])
  )

const hexOf = (text: string) => Buffer.from(text, "base64").toString("hex")
const party = (address: string) => ({ address: address.toLowerCase(), is_scam: false, is_wallet: true })

const tonApiMessage = (shown: TonWireMessage) => ({
  msg_type: shown.source === null ? "ext_in_msg" : "int_msg",
  created_lt: Number(shown.created_lt),
  ihr_disabled: shown.ihr_disabled ?? false,
  bounce: shown.bounce ?? false,
  bounced: shown.bounced ?? false,
  value: Number(shown.value),
  fwd_fee: Number(shown.fwd_fee),
  ihr_fee: Number(shown.ihr_fee),
  destination: party(shown.destination),
  ...(shown.source === null ? {} : { source: party(shown.source) }),
  import_fee: Number(shown.import_fee),
  created_at: Number(shown.created_at),
  hash: hexOf(shown.hash),
  ...(shown.opcode === null ? {} : { op_code: shown.opcode }),
  raw_body: hexOf(shown.message_content.body),
  ...(shown.message_content.decoded === null
    ? {}
    : { decoded_op_name: "text_comment", decoded_body: { text: shown.message_content.decoded.comment } })
})

type TonDescription = TonWireTransaction["description"]

const computePhase = ({ exit_code, gas_fees, gas_used, skipped, success, vm_steps }: TonDescription["compute_ph"]) =>
  skipped
    ? { skipped, skip_reason: "cskip_no_state" }
    : {
        skipped,
        success,
        gas_fees: Number(gas_fees),
        gas_used: Number(gas_used),
        vm_steps,
        exit_code,
        exit_code_description: "Ok"
      }

const actionPhase = (action: NonNullable<TonDescription["action"]>) => ({
  success: action.success,
  result_code: action.result_code,
  total_actions: action.tot_actions,
  skipped_actions: action.skipped_actions,
  fwd_fees: Number(action.total_fwd_fees),
  total_fees: Number(action.total_action_fees)
})

/**
 * Converts to TonAPI's format: hashes in hexadecimal digits, addresses in lower case, amounts as numbers. `raw` is the
 * transaction as a bag of cells.
 */
export const asTonApi = (transaction: TonWireTransaction, raw: string) => {
  const { action, aborted, compute_ph, destroyed, storage_ph } = transaction.description
  return {
    hash: hexOf(transaction.hash),
    lt: Number(transaction.lt),
    account: party(transaction.account),
    success: compute_ph.success === true && action?.success === true,
    utime: transaction.now,
    orig_status: transaction.orig_status,
    end_status: transaction.end_status,
    total_fees: Number(transaction.total_fees),
    end_balance: Number(transaction.account_state_after.balance),
    transaction_type: transaction.in_msg === null ? "TransTickTock" : "TransOrd",
    state_update_old: hexOf(transaction.account_state_before.hash),
    state_update_new: hexOf(transaction.account_state_after.hash),
    ...(transaction.in_msg === null ? {} : { in_msg: tonApiMessage(transaction.in_msg) }),
    out_msgs: transaction.out_msgs.map(tonApiMessage),
    block: `(0,${transaction.block_ref.shard},${transaction.block_ref.seqno})`,
    prev_trans_hash: hexOf(transaction.prev_trans_hash),
    prev_trans_lt: Number(transaction.prev_trans_lt),
    compute_phase: computePhase(compute_ph),
    storage_phase: { fees_collected: Number(storage_ph.storage_fees_collected), status_change: "acst_unchanged" },
    ...(action === undefined ? {} : { action_phase: actionPhase(action) }),
    aborted,
    destroyed,
    raw
  }
}
