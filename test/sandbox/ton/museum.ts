import * as World from "../../../src/sandbox/world/World.ts"
import type { MuseumCase } from "../museum.ts"

const museum = { network: "ton", address: World.museum("ton") ?? "" }

/** Forms of answers. */
export const cases: ReadonlyArray<MuseumCase> = [
  {
    case: "a transaction without a message, which the chain starts",
    fixture: "toncenter-v3/block-transactions-tick-tock.json",
    ...museum,
    shows: /"in_msg":null/
  },
  {
    case: "the type of such a transaction",
    fixture: "toncenter-v3/block-transactions-tick-tock.json",
    ...museum,
    shows: /"description":\{"type":"tick_tock"/
  },
  {
    case: "an aborted transaction, whose phases are skipped, that credits an account before it is deployed",
    fixture: "toncenter-v3/tx-plain-transfer-to-nonexist-aborted.json",
    ...museum,
    shows:
      /"aborted":true,(?=.{0,300}"credit_ph":\{"credit":"3000000000"\},"compute_ph":\{"skipped":true,"reason":"no_state"\}\})/
  },
  {
    case: "an arbitrary credit of an external message",
    fixture: "toncenter-v3/testnet-transaction-comment-weird-credit.json",
    ...museum,
    shows: /"credit_ph":\{"credit":"16298225961743024383"\}/
  },
  {
    case: "a message that the wallet skips, because it cannot pay for it",
    fixture: "https://docs.ton.org/v3/documentation/smart-contracts/message-management/sending-messages",
    ...museum,
    shows: /"skipped_actions":1\b/
  },
  {
    case: "a comment",
    fixture: "toncenter-v3/testnet-transaction-comment-weird-credit.json",
    ...museum,
    shows: /"decoded":\{"type":"text_comment","comment":"hii"\}/
  },
  {
    case: "a message that bounced",
    fixture: "toncenter-v3/tx-bounced.json",
    ...museum,
    shows: /"bounced":true/
  },
  {
    case: "a transfer of jettons that is sent to their master instead of a jetton wallet",
    fixture: "toncenter-v3/tx-jetton-transfer-to-master-error.json",
    ...museum,
    shows: /"value":"200000000",.{0,200}"opcode":"0x0f8a7ea5"/
  },
  {
    case: "other forms of addresses",
    fixture: "toncenter-v3/tx-transfer-success.json",
    ...museum,
    shows: /"address_book":\{"-?\d:[0-9A-F]{64}":\{"user_friendly":"[\w-]{48}"/
  },
  {
    case: "metadata of a jetton wallet, without decimals",
    fixture: "toncenter-v3/jetton-wallets.json",
    ...museum,
    shows: /"type":"jetton_wallets","extra":\{"balance":"\d+","jetton":"0:[0-9A-F]{64}","owner":"0:[0-9A-F]{64}"/
  },
  {
    case: "an empty jetton wallet",
    fixture: "toncenter-v3/jetton-wallets.json",
    ...museum,
    shows: /"address":"0:[0-9A-F]{64}","balance":"0","owner"/
  },
  {
    case: "a comment at TonAPI",
    fixture: "tonapi/tx-with-comment.json",
    ...museum,
    shows: /"decoded_op_name":"text_comment","decoded_body":\{"text":"/
  },
  {
    case: "a comment in an event of TonAPI",
    fixture: "tonapi/account-events.json",
    ...museum,
    shows: /"amount":100000000,"comment":"/
  }
]

/** Answers that a history cannot contain: a member of an indexer's answer is replaced by the recorded one. */
export const faults: ReadonlyArray<
  MuseumCase & { readonly upstream: string; readonly member: RegExp; readonly by: string }
> = [
  {
    case: "a row without a trace",
    fixture: "toncenter-v3/testnet-transaction-comment-weird-credit.json",
    ...museum,
    upstream: "toncenter",
    member: /"trace_id":"[^"]*",/,
    by: "",
    shows: /^\{"transactions":\[\{(?!.*"trace_id")/
  },
  {
    case: "a balance of 36 digits",
    fixture: "tonapi/accounts-bulk-balance-above-2-53.json",
    ...museum,
    upstream: "tonapi",
    member: /"balance":\d+/,
    by: '"balance":471698230471698230471698230471698230',
    shows: /"balance":471698230471698230471698230471698230/
  }
]
