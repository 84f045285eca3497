import * as UrlParams from "@effect/platform/UrlParams"
import * as bitcoind from "../../../src/chains/utxo/providers/bitcoind/calls.ts"
import * as blockbook from "../../../src/chains/utxo/providers/blockbook/calls.ts"
import * as blockchainInfo from "../../../src/chains/utxo/providers/blockchaininfo/calls.ts"
import * as blockcypher from "../../../src/chains/utxo/providers/blockcypher/calls.ts"
import * as esplora from "../../../src/chains/utxo/providers/esplora/calls.ts"
import * as haskoin from "../../../src/chains/utxo/providers/haskoin/calls.ts"
import { height } from "../../../src/domain/units.ts"
import * as Call from "../../../src/upstream/Call.ts"
import { assert, describe, it } from "../../support/vitest.ts"

/** The request of a call, as method, path and query. */
const requestOf = <P, A, I>(call: Call.Call<string, P, unknown, A, I>, parameters: P) => {
  const { method, url, urlParams } = Call.requestOf(call, parameters)
  const query = UrlParams.toString(urlParams)
  return `${method} ${url}${query === "" ? "" : `?${query}`}`
}

const address = "bitcoincash:qp"
const xpub = "x".repeat(111)

describe("the requests of the Bitcoin family", () => {
  it("are those of Esplora's API", () => {
    assert.deepStrictEqual(
      [
        requestOf(esplora.address, { address }),
        requestOf(esplora.transactions, { address }),
        requestOf(esplora.olderTransactions, { address, after: "ab" }),
        requestOf(esplora.outspend, { hash: "ab", index: "1" }),
        requestOf(esplora.submit, { hex: "02" })
      ],
      [
        "GET /address/bitcoincash:qp",
        "GET /address/bitcoincash:qp/txs",
        "GET /address/bitcoincash:qp/txs/chain/ab",
        "GET /tx/ab/outspend/1",
        "POST /tx"
      ]
    )
  })

  it("are those of Blockbook's API, by address or extended key", () => {
    const page = { pageSize: 25, page: "2" }
    assert.deepStrictEqual(
      [
        requestOf(blockbook.balance, blockbook.holder(address)),
        requestOf(blockbook.balance, blockbook.holder(xpub)),
        requestOf(blockbook.transactions, { ...blockbook.holder(address), ...page, to: height(0) }),
        requestOf(blockbook.transactions, { ...blockbook.holder(xpub), ...page }),
        requestOf(blockbook.scripts, blockbook.holder(address)),
        requestOf(blockbook.submit, { hex: "02" })
      ],
      [
        "GET /api/v2/address/bitcoincash:qp?details=basic",
        `GET /api/v2/xpub/${xpub}?details=tokens&tokens=derived`,
        "GET /api/v2/address/bitcoincash:qp?details=txs&pageSize=25&page=2&to=0",
        `GET /api/v2/xpub/${xpub}?details=txs&pageSize=25&page=2&tokens=used`,
        "GET /api/v2/address/bitcoincash:qp?details=txs&pageSize=1000",
        "POST /api/v2/sendtx/"
      ]
    )
  })

  it("are methods of the node with parameters by position", () => {
    assert.deepStrictEqual(
      [
        Call.methodOf(bitcoind.smartFee, { blocks: 6 }),
        Call.methodOf(bitcoind.mempoolInfo, {}),
        Call.methodOf(bitcoind.submit, { hex: "02" }),
        Call.methodOf(bitcoind.raw, { hash: "ab" })
      ] as ReadonlyArray<unknown>,
      [
        { method: "estimatesmartfee", params: [6] },
        { method: "getmempoolinfo", params: [] },
        { method: "sendrawtransaction", params: ["02"] },
        { method: "getrawtransaction", params: ["ab"] }
      ]
    )
  })

  it("are those of the other indexers' APIs", () => {
    assert.deepStrictEqual(
      [
        requestOf(haskoin.balances, { addresses: ["qp", "qr"] }),
        requestOf(haskoin.transactions, { address: "qp", limit: 3, offset: "6", height: height(0) }),
        requestOf(haskoin.unspent, { address: "qp" }),
        requestOf(haskoin.best, {}),
        requestOf(blockcypher.transactions, { address: "D1", limit: 9, before: "7" }),
        requestOf(blockcypher.transactions, { address: "D1", limit: 9, before: undefined }),
        requestOf(blockcypher.unspent, { address: "D1" }),
        requestOf(blockcypher.origin, { hash: "ab" }),
        requestOf(blockcypher.chain, {}),
        requestOf(blockchainInfo.addresses, { addresses: ["1a", "1b"] }),
        requestOf(blockchainInfo.transactions, { address: "1a", limit: 2, offset: "4" })
      ],
      [
        "GET /address/balances?addresses=qp%2Cqr",
        "GET /address/qp/transactions/full?limit=3&offset=6&height=0",
        "GET /address/qp/unspent?limit=5000",
        "GET /block/best?notx=true",
        "GET /addrs/D1/full?limit=9&txlimit=200&before=7",
        "GET /addrs/D1/full?limit=9&txlimit=200",
        "GET /addrs/D1?unspentOnly=true&includeScript=true&limit=2000",
        "GET /txs/ab?limit=1",
        "GET ",
        "GET /multiaddr?active=1a%7C1b&n=1",
        "GET /rawaddr/1a?limit=2&offset=4"
      ]
    )
  })
})
