import { refusals } from "../../src/chains/utxo/rawTransactions/refusals.ts"
import { coded, meaning } from "./readers/refusals.ts"
import { said } from "./readers/utxo.ts"
import { fails, recordingsOf, row } from "./table.ts"

const refused = said("RPC", "refused")
const refusedAs = (reason: string) => [refused, row(meaning(refusals, coded), reason)]
const starting = /^litecoin-rpc: the node is starting$/
const noIndex = /^litecoin-rpc: has no index of the transactions in blocks \(-txindex\)$/

recordingsOf("bitcoind", {
  samples: {
    "sendrawtransaction-taken": said("RPC", "done"),
    "sendrawtransaction-error-25-no-text": said("RPC", fails(/may have arrived/)),
    "sendrawtransaction-error-25-fee-too-high": refused,
    "sendrawtransaction-error-26-outputs-above-inputs": refused,
    "sendrawtransaction-error-26-numbered": refused,
    "sendrawtransaction-error-26-unnumbered": refused,
    "sendrawtransaction-error-27-known": said("RPC", "done"),
    "error-28-starting": said("RPC", fails(starting)),
    "getrawtransaction-found": said("RPC", "done"),
    "getrawtransaction-decoded": said("RPC", fails(/returned another transaction than the requested one$/)),
    "getrawtransaction-error-5-no-index": said("RPC", fails(noIndex)),
    "getrawtransaction-error-5-nowhere": said("RPC", "unknown")
  },
  recorded: {
    "doge-getrawtransaction-verbose": said("RPC", fails("bad_answer")),
    "error-28-warmup": [said("RPC", fails(starting), "send"), said("RPC", fails(starting), "find")],
    "error-5-no-such-mempool-or-blockchain-transaction": said("RPC", "unknown"),
    "getrawtransaction-error-5-no-txindex": said("RPC", fails(noIndex)),
    "sendraw-error-25-empty-message": [
      said("RPC", fails(/may have arrived/)),
      row(meaning(refusals, coded), undefined)
    ],
    "sendraw-error-25-fee-exceeds-maximum": refusedAs("invalid"),
    "sendraw-error-26-in-below-out": refusedAs("insufficient_funds"),
    "sendraw-error-26-script-flag": refusedAs("invalid"),
    "sendraw-error-26-script-new-text": refusedAs("invalid"),
    "sendraw-error-27-already-in-chain": said("RPC", "done")
  }
})

// Electrum servers are not used, and their responses are not read as success if one is configured as a node.
recordingsOf("electrum", {
  samples: {
    "broadcast-refused": refused,
    "broadcast-refused-as-result": said(
      "RPC",
      fails(/did not report whether it accepted the transaction; the transaction may have arrived/)
    )
  },
  recorded: {
    "broadcast-rejected-network-rules": refused,
    "btc-transaction-broadcast-v1-0-error-as-result": said("RPC", fails("bad_answer"))
  }
})
