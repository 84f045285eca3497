import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { history as blockbookHistory } from "../../../src/chains/utxo/sources/Blockbook.ts"
import { history as blockCypherHistory } from "../../../src/chains/utxo/sources/BlockCypher.ts"
import { history as esploraHistory } from "../../../src/chains/utxo/sources/Esplora.ts"
import type { HistoryPart, Transaction } from "../../../src/domain/Transaction.ts"
import { type Exchange, fixture, recorded, replay, sample } from "../../support/fixtures.ts"
import { refused, type SentRequest } from "../../support/http.ts"
import { Bch, Bitcoin, Dogecoin, Litecoin } from "../../support/networks.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { b, doge, nested, providers, type Row, received, sent } from "./historySamples.ts"
import { type Module, network } from "./made.ts"

type Body = Readonly<Record<string, unknown>>

/** History of an address if only this host responds, with the response of one exchange, and the requests to it. */
const historyFrom = (
  module: Module,
  host: string,
  exchange: Exchange,
  text: string,
  {
    body = exchange.response.body,
    environment = {},
    limit = 500
  }: {
    readonly body?: unknown
    readonly environment?: Readonly<Record<string, string>>
    readonly limit?: number
  } = {}
) =>
  Effect.gen(function* () {
    // Pages after the recorded one are not available.
    let answers = 0
    const reply = () => (answers++ === 0 ? replay({ ...exchange, response: { ...exchange.response, body } }) : refused)
    const made = yield* network(module, { [host]: reply }, environment)
    const address = Either.getOrThrow(made.address(text))
    if (made.history === undefined) return assert.fail("has no history")
    const part = yield* settled(made.history({ address, limit }))
    const requests: ReadonlyArray<SentRequest> = made.requests.filter(({ url }) => url.host === host)
    return { address, part, requests }
  })

const short = ({ fee, from, hash, status, timestamp, to, type }: Transaction): Row => ({
  hash: hash.slice(0, 8),
  type,
  fee,
  status,
  timestamp,
  from: from.map(({ address, amount }) => [address, amount]),
  to: to.map(({ address, amount }) => [address, amount])
})

const row = (part: HistoryPart, hash: string) => {
  const found = part.transactions.find((transaction) => transaction.hash.startsWith(hash))
  return found === undefined ? undefined : short(found)
}

const sum = (parties: Transaction["from"], address?: string) =>
  parties.reduce((all, party) => (address === undefined || party.address === address ? all + party.amount : all), 0n)

/** Received minus sent amounts and the fees of sent transactions. Checks that the sums of both sides are equal. */
const balanceOf = ({ transactions }: HistoryPart, holder: string) =>
  transactions.reduce((all, { fee, from, to, type }) => {
    assert.strictEqual(sum(from), sum(to))
    return all + sum(to, holder) - sum(from, holder) - (type === "Send" ? (fee ?? 0n) : 0n)
  }, 0n)

const btc = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"

describe("sample histories of indexers", () => {
  const folder = (title: string) => title.split(" ")[0] ?? title

  for (const [title, { cases, environment = {}, ...provider }] of Object.entries(providers))
    for (const [name, { at, holder, limit = 500, missing = [], rows }] of Object.entries(cases))
      it(`are read from ${title}, ${name}`, function* () {
        const exchange = sample(folder(title), name)
        const { host, module, query = {} } = { ...provider, ...at }
        const { requests, part } = yield* historyFrom(module, host, exchange, holder, { environment, limit })
        assert.deepStrictEqual(part.transactions.map(short), rows)
        const source = `${module.info.id}-${folder(title)}`
        assert.deepStrictEqual([part.more, part.sources, part.missing], [limit === 1, [source], missing])
        const orders = part.transactions.map(({ order = 0 }) => order)
        assert.deepStrictEqual(
          orders,
          orders.toSorted((item, other) => other - item)
        )
        assert.deepStrictEqual(
          requests.map(({ url }) => Object.fromEntries(url.searchParams)),
          [query]
        )
        assert.isTrue(requests[0]?.url.pathname.endsWith(exchange.request.path), requests[0]?.url.pathname)
      })

  it("blockcypher, address-full-page: the next page starts with the last block of this page", function* () {
    const { cases: _, environment = {}, host, module } = providers.blockcypher ?? assert.fail("no BlockCypher")
    const exchange = sample("blockcypher", "address-full-page")
    const { requests, part } = yield* historyFrom(module, host, exchange, doge(1), { environment })
    assert.deepStrictEqual(part.transactions.map(short), [
      sent("b1", 40_000_000n, 1_760_000_000, [[doge(1), 1_000_000n]], [["Unknown", 1_000_000n]]),
      received("b3", 0n, 1_759_999_900, [["coinbase", 1_000_000_000_000n]], [[doge(1), 1_000_000_000_000n]])
    ])
    assert.isTrue(part.more)
    assert.deepStrictEqual(Object.fromEntries(requests[1]?.url.searchParams ?? []), {
      limit: "50",
      txlimit: "200",
      before: "5000002"
    })
  })

  it("blockbook, btc-tx: a transaction with the new members of a recent Blockbook is read", function* () {
    const exchange = sample("blockbook", "btc-tx")
    const body = { address: b(1), page: 1, totalPages: 1, txs: 1, transactions: [exchange.response.body] }
    const { part } = yield* historyFrom(Bitcoin, "blockbook.btc.zelcore.io", exchange, b(1), { body })
    assert.deepStrictEqual(part.transactions.map(short), [
      { ...received("3f807e3b", 540n, 1_760_006_000, [[b(5), 5_460n]], [[b(1), 5_460n]]), hash: "3f807e3b" }
    ])
  })

  it("esplora, txs-nested-segwit and blockcypher, address-full-same-as-esplora: contain the same transaction", () => {
    const pages = [
      ["esplora", "txs-nested-segwit", esploraHistory((_, text) => text)] as const,
      ["blockcypher", "address-full-same-as-esplora", blockCypherHistory] as const
    ].map(([provider, name, history]) => {
      const { decode: interpret } = history.request(Bitcoin.info, { address: nested(7), limit: 50, after: undefined })
      const text = JSON.stringify(sample(provider, name).response.body)
      return Either.getOrThrow(interpret({ status: 200, text, retryAfter: undefined }))
    })
    assert.deepStrictEqual(pages[0]?.transactions, pages[1]?.transactions)
    assert.deepInclude(pages[0]?.transactions[0], { hash: "a8".repeat(32), block: 820_345, time: 1_700_000_145 })
  })
})

recorded("recorded Esplora histories", () => {
  const mine = {
    environment: { BCH_ESPLORA_URLS: "http://mine.test/api", BCH_BLOCKBOOK_URLS: ",", BCH_HASKOIN_URLS: "," }
  }

  /** List with one recorded transaction. */
  const item = (name: string) => [fixture("esplora", name).response.body]

  const bitcoin = (name: string, address: string, body: unknown = item(name)) =>
    historyFrom(Bitcoin, "mempool.space", fixture("esplora", name), address, { body })

  it("are read in the format of a fork, with the requested address and another one among the inputs", function* () {
    const exchange = fixture("esplora", "bch-address-txs-p2sh-multisig")
    const holder = "bitcoincash:prxsnmzaer7whacy04arcu4jtlm83xfvf5fxdvr36d"
    const { requests, part } = yield* historyFrom(Bch, "mine.test", exchange, holder, mine)
    assert.deepStrictEqual(part.transactions.map(short), [
      {
        hash: "0f4cb812",
        type: "Send",
        fee: 1278n,
        status: "Success",
        timestamp: 1769007389,
        from: [
          ["bitcoincash:pq2klmc0sarndpvymenhl5ywpvgtkxynmgwgn6nv9s", 27328799n - 103n],
          [holder, 309619123n - 1175n]
        ],
        to: [["bitcoincash:qr3u8szwdl4el5ur428t3qs3cn8kqyhlesjqfjmp7k", 336946644n]]
      }
    ])
    assert.deepStrictEqual([part.more, part.sources, part.missing], [false, ["bch-esplora"], []])
    // The public instance accepts only the legacy form, not CashAddr.
    assert.deepStrictEqual(
      requests.map(({ url }) => /^\/api\/address\/[13][^/]+\/txs$/.test(url.pathname)),
      [true]
    )
  })

  it("show a mempool transaction as pending since it was first seen, and four inputs of one address as one party", function* () {
    const exchange = fixture("esplora", "bch-address-txs-mempool-pending")
    const payer = "bitcoincash:qrfteder6s5flm8guuwkxs3vyrk5rn22dum3h8j8f7"
    const { part } = yield* historyFrom(Bch, "mine.test", exchange, payer, mine)
    assert.deepStrictEqual(part.transactions.map(short), [
      {
        hash: "6cda8ef8",
        type: "Send",
        fee: 6660n,
        status: "Pending",
        timestamp: 1769222712,
        from: [[payer, 839993340n]],
        to: [
          ["bitcoincash:qzyg7zc3a846hhzk6ppc3rzarm782n8tlqstnsytu3", 39332651n],
          ["bitcoincash:qq6lt0da0979aeekrruy2vqsudkjdznejcyvrsvpv8", 800660689n]
        ]
      }
    ])
  })

  it("show no recipient for an output without an address and coins: the whole input is the fee", function* () {
    const holder = "bc1p3zfekshja5gnm4r4vp2mz7wd0pxze7jjetffq3jprs5rxk4zq4wqesykl2"
    const { part } = yield* bitcoin("btc-tx-core-backend-opreturn-empty-address", holder)
    assert.deepStrictEqual(part.transactions.map(short), [
      {
        hash: "f859a4e6",
        type: "Send",
        fee: 11586n,
        status: "Success",
        timestamp: 1746868490,
        from: [[holder, 0n]],
        to: []
      }
    ])
  })

  it("show the genesis transaction as confirmed at height 0, with new coins for a bare public key", function* () {
    const holder = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"
    const { part } = yield* bitcoin("btc-tx-genesis-coinbase-p2pk", holder)
    assert.deepStrictEqual(part.transactions.map(short), [
      {
        hash: "4a5e1e4b",
        type: "Receive",
        fee: 0n,
        status: "Success",
        timestamp: 1231006505,
        from: [["coinbase", 5000000000n]],
        to: [
          ["Unknown", 5000000000n],
          [holder, 0n]
        ]
      }
    ])
  })

  it("ignore members of forks and versions beyond 32 bits, and use the time of first seen", function* () {
    const holder = "bc1qak63vld8a97884unr6epxzkrud8xs3dfdqswy2"
    const body = item("btc-tx-unconfirmed-mempool-extra-fields").map((row) => ({
      ...(row as Body),
      version: 2 ** 40
    }))
    const { part } = yield* bitcoin("btc-tx-unconfirmed-mempool-extra-fields", holder, body)
    assert.deepStrictEqual(part.transactions.map(short), [
      {
        hash: "21518a98",
        type: "Receive",
        fee: 8794n,
        status: "Pending",
        timestamp: 1683864993,
        from: [["bc1qmxr9gxrtjrv4mflrrgcf986mtd4q4ujss432tk", 253008854n]],
        to: [[holder, 253008854n]]
      }
    ])
  })

  it("omit a replaced transaction, and show its replacement, which has no time, as pending since now", function* () {
    const holder = "1stAprEZapjCYGUACUcXohQqSHF9MU5Kj"
    const both = [...item("btc-tx-replaced-cached"), ...item("btc-tx-unconfirmed-rbf-replacement")]
    const { part } = yield* bitcoin("btc-tx-replaced-cached", holder, both)
    assert.deepStrictEqual(part.transactions.map(short), [
      {
        hash: "b6a53d8a",
        type: "Send",
        fee: 960n,
        status: "Pending",
        timestamp: 0,
        from: [[holder, 49040n]],
        to: [[holder, 49040n]]
      }
    ])
  })

  it("are empty for an address that was never used", function* () {
    const { part } = yield* bitcoin("btc-address-never-used", btc, [])
    assert.deepStrictEqual(part, { transactions: [], more: false, sources: ["bitcoin-esplora"], missing: [] })
  })

  it("contain the same transaction of a test network as BlockCypher", () => {
    const exchange = fixture("esplora", "btc-testnet-address-txs-p2sh-segwit")
    const { decode: interpret } = esploraHistory((_, text) => text).request(Bitcoin.info, {
      address: "2N8fMsws2pTGfNzkFTLWdUYM5RTWEAphieb",
      limit: 50,
      after: undefined
    })
    const page = Either.getOrThrow(
      interpret({ status: 200, text: JSON.stringify(exchange.response.body), retryAfter: undefined })
    )
    const other = fixture("blockcypher", "btc-testnet-tx-same-as-esplora").response.body as Body
    assert.strictEqual(page.transactions[0]?.hash, other.hash)
    assert.strictEqual(page.transactions[0]?.time, Date.parse(String(other.confirmed)) / 1000)
    assert.strictEqual(page.transactions[0]?.block, other.block_height)
    assert.strictEqual(page.next, undefined)
  })
})

recorded("recorded Blockbook histories", () => {
  it("have strings as amounts, and all 13 transactions add up to the balance except for shared fees", function* () {
    const exchange = fixture("blockbook", "btc-address-details-txs")
    const holder = "bc1qrfr44n2j4czd5c9txwlnw0yj2h82x9566fglqj"
    const { requests, part } = yield* historyFrom(Bitcoin, "blockbook.btc.zelcore.io", exchange, holder)
    assert.strictEqual(part.transactions.length, 13)
    // In two transactions with other payers, the others bear the larger part of the fee.
    assert.strictEqual(balanceOf(part, holder), 16245n - (8784n - 4018n) - (28956n - 3518n))
    assert.strictEqual(part.more, false)
    assert.deepStrictEqual(row(part, "36b1e721"), {
      hash: "36b1e721",
      type: "Send",
      fee: 1130n,
      status: "Success",
      timestamp: 1586299624,
      from: [[holder, 3699n]],
      to: [
        ["34DBwkzPz6yeqU1LoZLVzdCm91oeyxq37T", 1000n],
        ["bc1q3u68k04pecgnkz0qjcf95wknxyxap2287gyzrg", 2699n]
      ]
    })
    // A payment of everything to itself, in two outputs.
    const itself = row(part, "c6a4c82d")
    assert.deepStrictEqual([itself?.type, itself?.from, itself?.to], ["Send", [[holder, 5829n]], [[holder, 5829n]]])
    // Two transactions of the same block retain their order.
    const hashes = part.transactions.map(({ hash }) => hash.slice(0, 8))
    assert.deepStrictEqual(hashes.slice(2, 4), ["81805450", "c6a4c82d"])
    assert.deepStrictEqual(
      requests.map(({ url }) => [url.pathname, Object.fromEntries(url.searchParams)]),
      [[`/api/v2/address/${holder}`, { details: "txs", pageSize: "500", page: "1" }]]
    )
  })

  it("add up to the balance for all 12 transactions of Dogecoin, with fees of more than one coin", function* () {
    const exchange = fixture("blockbook", "doge-address-details-txs")
    const holder = "D5dAUAx3Ezg1q4dRgzKTBsxp4VJietWkDh"
    const { part } = yield* historyFrom(Dogecoin, "blockbook.doge.zelcore.io", exchange, holder)
    assert.strictEqual(part.transactions.length, 12)
    assert.strictEqual(balanceOf(part, holder), 50394795942n)
    assert.deepStrictEqual(row(part, "fee8381f"), {
      hash: "fee8381f",
      type: "Send",
      fee: 158200000n,
      status: "Success",
      timestamp: 1585794154,
      from: [[holder, 841800000n]],
      to: [
        ["D97xcKB9EAPmgNExbB5nAXDAQ9s5ZJ91J4", 134700000n],
        ["DMVPBRTD6bgqr3fk2yTdz97hS4AA2gzj8g", 707100000n]
      ]
    })
  })

  it("show 115 inputs of an exchange as 24 parties, and report rows after the first of 2014 pages as missing", function* () {
    const exchange = fixture("blockbook", "bch-address-115-inputs-huge-total")
    const holder = "bitcoincash:qq07l6rr5lsdm3m80qxw80ku2ex0tj76vvsxpvmgme"
    const host = "blockbook.bch.zelcore.io"
    const five = (yield* historyFrom(Bch, host, exchange, holder, { limit: 5 })).part
    assert.deepStrictEqual([five.transactions.length, five.more, five.missing], [5, true, []])
    const large = row(five, "0284cb9b")
    assert.deepStrictEqual([large?.type, large?.fee, large?.timestamp], ["Send", 17098n, 1575319726])
    assert.deepStrictEqual(large?.from[0], [holder, 115030693723n - 17098n])
    assert.strictEqual(large?.from.length, 24)
    assert.deepStrictEqual(large?.to, [
      ["bitcoincash:qzdzvtgxyxqeerqh6d98lm9pkwdnj9t6lydxqg82t6", 32902n],
      ["bitcoincash:qqhdntka6w4x9kfz6vcztyq4x835fy22vg3yc55de7", 115067302350n]
    ])

    const more = (yield* historyFrom(Bch, host, exchange, holder)).part
    assert.deepStrictEqual(
      [more.transactions.length, more.more, more.missing],
      [5, true, ["older transactions: bch-blockbook: could not be reached"]]
    )
  })

  it("show the addresses of an extended public key as one holder", function* () {
    const exchange = fixture("blockbook", "ltc-xpub-details-txs")
    const body = exchange.response.body as Body
    const key = String(body.address)
    const host = "blockbook.ltc.zelcore.io"
    const { requests, part } = yield* historyFrom(Litecoin, host, exchange, key, { limit: 10 })
    assert.deepStrictEqual([part.transactions.length, part.more], [10, true])
    assert.deepStrictEqual(row(part, "bfce02fd"), {
      hash: "bfce02fd",
      type: "Send",
      fee: 452n,
      status: "Success",
      timestamp: 1583910871,
      from: [[key, 100000n]],
      to: [["ltc1qenc97w7y20mlvma53vfyh4ukjz7rp83zf892wx", 100000n]]
    })
    const itself = row(part, "674092ed")
    assert.deepStrictEqual([itself?.type, itself?.from, itself?.to], ["Send", [[key, 1788530n]], [[key, 1788530n]]])
    assert.deepStrictEqual(
      requests.map(({ url }) => [url.pathname, Object.fromEntries(url.searchParams)]),
      [[`/api/v2/xpub/${key}`, { details: "txs", pageSize: "10", page: "1", tokens: "used" }]]
    )
  })

  it("have no address for OP_RETURN, and no inputs for a transaction with new coins", () => {
    const exchange = fixture("blockbook", "btc-address-txs-coinbase-opreturn")
    const { decode: interpret } = blockbookHistory.request(Bitcoin.info, { address: btc, limit: 50, after: undefined })
    const page = Either.getOrThrow(
      interpret({
        status: 200,
        text: JSON.stringify({ ...(exchange.response.body as Body), address: btc }),
        retryAfter: undefined
      })
    )
    assert.deepStrictEqual(
      page.transactions.map(({ inputs, outputs }) => [inputs.length, outputs.map(({ address }) => address)]),
      [
        [2, ["mzB8cYrfRwFRFAGTDzV8LkUQy5BQicxGhX", "mtR97eM2HPWVM6c8FGLGcukgaHHQv7THoL", undefined]],
        [
          0,
          [
            "mv9uLThosiEnGRbVPS7Vhyw6VssbVRsiAw",
            "2MzmAKayJmja784jyHvRUW1bXPget1csRRG",
            "2NEVv9LJmAnY99W1pFoc5UJjVdypBqdnvu1"
          ]
        ]
      ]
    )
  })

  it("are read with the new members of a recent Blockbook", function* () {
    const exchange = fixture("blockbook", "btc-tx-by-hash-brc20-commit")
    const holder = "bc1prs529jr4v69hlm35u305j6tnk6erk6n9s48nl3raw0gz54k9twls6pvnee"
    const body = { address: holder, page: 1, totalPages: 1, transactions: [exchange.response.body] }
    const { part } = yield* historyFrom(Bitcoin, "blockbook.btc.zelcore.io", exchange, holder, { body })
    assert.deepStrictEqual(part.transactions.map(short), [
      {
        hash: "654c6a28",
        type: "Receive",
        fee: 1694n,
        status: "Success",
        timestamp: 1733199947,
        from: [["bc1p8l0xktmerqgwgrq6l6cejzc3dhph5z8cv6ae083cuvcjhpnten7s2wjswr", 546n]],
        to: [[holder, 546n]]
      }
    ])
  })
})

recorded("recorded Haskoin histories", () => {
  const exchange = fixture("haskoin", "bch-transactions-full-multi-address")
  const holder = "bitcoincash:qpplh0vyfn67cupcmhq4g2dt3s50rlarmclu9vnndt"
  const rows = exchange.response.body as ReadonlyArray<Body>
  const own = rows.filter((item) => JSON.stringify(item).includes(holder))

  it("are requested without the prefix and with one row more than needed, and retain the order of a block", function* () {
    const { requests, part } = yield* historyFrom(Bch, "api.haskoin.com", exchange, holder, { body: own })
    assert.deepStrictEqual(
      part.transactions.map(({ hash }) => hash),
      own.map(({ txid }) => txid)
    )
    assert.deepStrictEqual(row(part, "8ee15aaa"), {
      hash: "8ee15aaa",
      type: "Receive",
      fee: 255n,
      status: "Success",
      timestamp: 1663343032,
      from: [["bitcoincash:qrelay224c3ptllfl7k9yu6c9nvv3agjvswykg0xpc", 1559391n]],
      to: [[holder, 1559391n]]
    })
    assert.deepStrictEqual(row(part, "03601a38")?.from, [
      ["bitcoincash:qzn29wvfk6undghjecet476gtvsh29fhwsrx2ycj2c", 9605n]
    ])
    balanceOf(part, holder)
    assert.deepStrictEqual(
      requests.map(({ url }) => [url.pathname, Object.fromEntries(url.searchParams)]),
      [["/bch/address/qpplh0vyfn67cupcmhq4g2dt3s50rlarmclu9vnndt/transactions/full", { limit: "501", offset: "0" }]]
    )
  })

  it("have equal sums for every transaction, including many in one block and with many parties", function* () {
    const { part } = yield* historyFrom(Bch, "api.haskoin.com", exchange, holder)
    assert.strictEqual(part.transactions.length, own.length)
    balanceOf(part, holder)
    for (const { fee, hash } of part.transactions)
      assert.strictEqual(fee, BigInt(Number(rows.find(({ txid }) => txid === hash)?.fee)))
  })

  it("omit deleted transactions, and show mempool transactions as pending", function* () {
    const [first = {}, second = {}] = own
    const body = [
      { ...first, block: { mempool: 1663343032 } },
      { ...second, deleted: true }
    ]
    const { part } = yield* historyFrom(Bch, "api.haskoin.com", exchange, holder, { body })
    assert.deepStrictEqual(
      part.transactions.map(({ status, timestamp }) => [status, timestamp]),
      [["Pending", 1663343032]]
    )
  })

  it("do not come from multiaddr, because it leaves out outputs to other addresses", () => {
    const { txs } = fixture("haskoin", "bch-multiaddr-filtered-outputs").response.body as {
      readonly txs: ReadonlyArray<{ readonly vout_sz: number; readonly out: ReadonlyArray<unknown> }>
    }
    assert.isTrue(txs.some(({ out, vout_sz }) => out.length < vout_sz))
  })
})

recorded("recorded blockchain.info histories", () => {
  const multi = fixture("blockchain-info", "btc-multiaddr-same-block-chain")
  const of = (name: string) => {
    const txs = [fixture("blockchain-info", name).response.body]
    return (address: string) =>
      historyFrom(Bitcoin, "blockchain.info", multi, address, { body: { address, n_tx: 1, txs } })
  }

  it("list a spending transaction before the spent one in the same block", function* () {
    const holder = "bc1qdlt2jrplkf0v7ucvhhjhs0qf7cqr0j27k7j7p0"
    const { txs } = multi.response.body as Body
    const body = { address: holder, n_tx: 2, txs }
    const { requests, part } = yield* historyFrom(Bitcoin, "blockchain.info", multi, holder, { body })

    assert.deepStrictEqual(part.transactions.map(short), [
      {
        hash: "3281f96f",
        type: "Send",
        fee: 31350n,
        status: "Success",
        timestamp: 1631333672,
        from: [
          [holder, 113000n - 990n],
          ["bc1q5242kk7ut5nkyv74g765amvwqnglrya6xgj6mz", 3430836n + 990n]
        ],
        to: [
          ["3CXosf9wCHdSkGieziJ4BVg8g9HpwbX45t", 1000000n],
          ["bc1qm4lpczdpkcs6j4twpzd2lgguy0sd8zzsm6puhl", 2543836n]
        ]
      },
      {
        hash: "c12f6f1e",
        type: "Receive",
        fee: 21300n,
        status: "Success",
        timestamp: 1631333672,
        from: [["bc1qehqxp54z5232t42knqs6wfrynm46697d5dstzu", 1113000n]],
        to: [
          [holder, 113000n],
          ["Unknown", 1000000n]
        ]
      }
    ])
    const [newer, older] = part.transactions
    assert.isAbove(newer?.order ?? 0, older?.order ?? 0)
    assert.deepStrictEqual(
      requests.map(({ url }) => [url.pathname, Object.fromEntries(url.searchParams)]),
      [[`/rawaddr/${holder}`, { limit: "50", offset: "0" }]]
    )
    // Recorded from multiaddr, which leaves out the other output. This is reported.
    assert.deepStrictEqual(part.missing, ["some parties of transactions with very many inputs or outputs"])
  })

  it("show no recipient for an output without an address and coins, and a fee of zero as 0", function* () {
    const burnt = (yield* of("btc-rawtx-opreturn-only")(btc)).part
    assert.deepStrictEqual(burnt.transactions.map(short), [
      {
        hash: "eb4d2def",
        type: "Send",
        fee: 1000n,
        status: "Success",
        timestamp: 1729677861,
        from: [[btc, 0n]],
        to: []
      }
    ])
    const holder = "1PJJygLB42VsaTgo2twFPgRT8CNz1bpGNE"
    const free = (yield* of("btc-rawtx-p2pk-zero-fee")(holder)).part
    assert.deepStrictEqual(free.transactions.map(short), [
      {
        hash: "1db6251a",
        type: "Send",
        fee: 0n,
        status: "Success",
        timestamp: 1313042188,
        from: [[holder, 5000000000n]],
        to: [["15WvMGm9qG1wDb54TMcvgzZsfvz9KdxzoN", 5000000000n]]
      }
    ])
  })
})

recorded("recorded BlockCypher histories", () => {
  const exchange = fixture("blockcypher", "btc-address-full-page")
  const body = exchange.response.body as Body
  const environment = { DOGECOIN_BLOCKBOOK_URLS: "," }
  // Recorded on Bitcoin. All networks have the same members, and addresses of other parties are returned unchanged.
  const holder = Dogecoin.info.sampleAddress
  const payer = "1PJJygLB42VsaTgo2twFPgRT8CNz1bpGNE"
  const swapped = (value: unknown) =>
    JSON.parse(JSON.stringify(value).replaceAll(btc, holder).replaceAll(payer, holder)) as Body
  const of = (item: object) =>
    historyFrom(Dogecoin, "api.blockcypher.com", exchange, holder, {
      body: swapped({ address: holder, n_tx: 0, ...item }),
      environment
    })
  const alone = (name: string) => of({ txs: [fixture("blockcypher", name).response.body] })

  it("retain the order within a block, show OP_RETURN with coins, and start the next page with the last block", function* () {
    const { requests, part } = yield* of(body)
    const listed = body.txs as ReadonlyArray<Body>
    assert.deepStrictEqual(
      part.transactions.map(({ hash }) => hash),
      listed.map(({ hash }) => hash)
    )
    assert.deepStrictEqual(row(part, "a3b6b354"), {
      hash: "a3b6b354",
      type: "Send",
      fee: 42996n,
      status: "Success",
      timestamp: 1752575357,
      from: [[holder, 48n]],
      to: [["Unknown", 48n]]
    })
    assert.deepStrictEqual(row(part, "de9ed2ac"), {
      hash: "de9ed2ac",
      type: "Receive",
      fee: 882n,
      status: "Success",
      timestamp: 1752575357,
      from: [["1C6XJtNXiuXvk4oUAVMkKF57CRpaTrN5Ra", 43044n]],
      to: [[holder, 43044n]]
    })
    // Everything was spent. The fee of 67c97abe has another payer, too; the holder's share of it is 109.
    assert.strictEqual(balanceOf(part, holder), 109n - 390n)
    const [first, second] = requests.map(({ url }) => Object.fromEntries(url.searchParams))
    assert.deepStrictEqual(first, { limit: "50", txlimit: "200" })
    assert.deepStrictEqual(second, { limit: "50", txlimit: "200", before: "883682" })
    assert.isTrue(part.more)
  })

  it("retain all digits of JSON numbers beyond 2^53", function* () {
    const [, second] = body.txs as ReadonlyArray<Body>
    const text = JSON.stringify(swapped({ address: holder, n_tx: 1, txs: [second] }))
      .replace('"output_value":10213884', '"output_value":9007199264911833')
      .replace('"value":43044', '"value":9007199254740993')
    const { part } = yield* historyFrom(Dogecoin, "api.blockcypher.com", exchange, holder, {
      body: text,
      environment
    })
    assert.deepStrictEqual(part.transactions.map(short)[0]?.to, [[holder, 9007199254740993n]])
    assert.strictEqual(part.transactions[0]?.fee, 882n)
  })

  it("show a confirmed double spend as a success, and a fee of zero as 0", function* () {
    const burnt = (yield* alone("btc-tx-opreturn-only-double-spend-flag")).part
    assert.deepStrictEqual(burnt.transactions.map(short), [
      {
        hash: "eb4d2def",
        type: "Send",
        fee: 1000n,
        status: "Success",
        timestamp: 1729677861,
        from: [[holder, 0n]],
        to: []
      }
    ])
    const free = (yield* alone("btc-tx-p2pk-legacy-zero-fee")).part
    assert.deepStrictEqual([free.transactions[0]?.fee, free.transactions[0]?.timestamp], [0n, 1313042188])
  })

  it("report parties of a large transaction that are not listed as missing", function* () {
    const [first = {}] = body.txs as ReadonlyArray<Body>
    const { part } = yield* of({ txs: [{ ...first, vout_sz: 400, fees: 77 }] })
    assert.deepStrictEqual(part.missing, ["some parties of transactions with very many inputs or outputs"])
    assert.strictEqual(part.transactions[0]?.fee, 77n)
    const pending = (yield* of({ txs: [{ ...first, block_height: -1, confirmed: undefined }] })).part
    assert.deepStrictEqual(
      pending.transactions.map(({ status, timestamp }) => [status, timestamp]),
      [["Pending", 1752575357]]
    )
  })
})
