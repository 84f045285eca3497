import { createHash } from "node:crypto"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as World from "../world/World.ts"
import * as TonCells from "./TonCells.ts"
import { spelled } from "./tonAddress.ts"
import type { Contracts } from "./tonContracts.ts"
import { blockAt, timeOf, type WalletMessage, type WalletRow, type Wallets } from "./tonWallets.ts"

const shard = "-9223372036854775808"
const noHash = Buffer.alloc(32).toString("base64")

/** The objects of TON Center's API v2. */
export const tonCenterObjects = (facts: NetworkFacts, own: Wallets, code: Contracts) => {
  const friendly = (address: string) => spelled(address, true)
  const digest = (what: string, block: number) =>
    createHash("sha256").update(`${facts.id} ${what} ${block}`).digest("base64")
  const block = (seqno: number, workchain = -1) => ({
    "@type": "ton.blockIdExt",
    workchain,
    shard,
    seqno,
    root_hash: digest(`root ${workchain}`, seqno),
    file_hash: digest(`file ${workchain}`, seqno)
  })
  const last = (address: string) => {
    const [newest] = own.rows(address)
    return { "@type": "internal.transactionId", lt: String(newest?.lt ?? 0), hash: newest?.hash ?? noHash }
  }
  const state = (address: string) => (code.isActive(address) ? "active" : "uninitialized")
  const balance = (address: string) => String(World.native(facts, address))

  const common = (address: string, now: number) => ({
    balance: balance(address),
    last_transaction_id: last(address),
    block_id: block(blockAt(now)),
    sync_utime: timeOf(blockAt(now)),
    extra_currencies: []
  })

  const message = (sent: WalletMessage, lt: number) => ({
    "@type": "raw.message",
    source: sent.source === "" ? "" : friendly(sent.source),
    destination: friendly(sent.destination),
    value: String(sent.value),
    fwd_fee: String(sent.forwarding),
    ihr_fee: "0",
    created_lt: sent.source === "" ? "0" : String(lt),
    body_hash: TonCells.hash(sent.body).toString("base64"),
    msg_data: { "@type": "msg.dataRaw", body: TonCells.toBoc(sent.body), init_state: "" },
    message: ""
  })

  const transaction = (account: string, { at, data, fee, hash, lt, received, sent }: WalletRow) => ({
    "@type": "raw.transaction",
    address: { "@type": "accountAddress", account_address: friendly(account) },
    utime: at,
    data: TonCells.toBoc(data),
    transaction_id: { "@type": "internal.transactionId", lt: String(lt), hash },
    fee: String(fee),
    storage_fee: "0",
    other_fee: String(fee),
    in_msg: message(received, lt - 1),
    out_msgs: sent.map((sentMessage, index) => message(sentMessage, lt + 1 + index))
  })

  return { friendly, digest, block, last, state, balance, common, transaction }
}

export type TonCenterObjects = ReturnType<typeof tonCenterObjects>
