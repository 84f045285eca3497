import * as Either from "effect/Either"
import { history as blockbookHistory } from "../../../src/chains/utxo/providers/blockbook/BlockbookHistory.ts"
import * as UtxoAddress from "../../../src/chains/utxo/UtxoAddress.ts"
import { Bch } from "../../support/networks.ts"
import { assert, describe, it } from "../../support/vitest.ts"

describe("the history of a BCH address", () => {
  it("has the coins beside tokens at Blockbook: they are those of their holder, also where they are spent", () => {
    const hash = Buffer.from("751e76e8199196d454941c45d1b3a323f1433bd6", "hex")
    const key = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
    const holder = UtxoAddress.encode(Bch.info.coding, { kind: "keyHash", hash })
    const description = { addresses: ["OP_PUSHBYTES"], isAddress: false }
    const script = UtxoAddress.lockingScript({ kind: "keyHash", hash }).toString("hex")
    const transaction = {
      txid: "ab".repeat(32),
      vin: [{ ...description, txid: "cd".repeat(32), vout: 0, value: "2000", hex: `41${"30".repeat(65)}21${key}` }],
      vout: [{ ...description, value: "1000", hex: `ef${"ab".repeat(32)}1005${script}` }],
      blockHeight: 900_000,
      confirmations: 9,
      blockTime: 1_760_000_000
    }
    const body = { address: holder, page: 1, totalPages: 1, txs: 1, transactions: [transaction] }
    const { decode } = blockbookHistory.request(Bch.info, { address: holder, limit: 50, after: undefined })
    const { transactions } = Either.getOrThrow(
      decode({ status: 200, text: JSON.stringify(body), retryAfter: undefined })
    )
    assert.deepStrictEqual(
      transactions.map(({ inputs, outputs }) => [inputs[0]?.address, outputs[0]?.address]),
      [[holder, holder]]
    )
  })
})
