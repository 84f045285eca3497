import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { history as blockbookHistory } from "../../../src/chains/utxo/providers/blockbook/BlockbookHistory.ts"
import { history as blockCypherHistory } from "../../../src/chains/utxo/providers/blockcypher/BlockCypher.ts"
import { history as esploraHistory } from "../../../src/chains/utxo/providers/esplora/EsploraHistory.ts"
import * as UtxoAddress from "../../../src/chains/utxo/UtxoAddress.ts"
import type { HistoryPart, Transaction } from "../../../src/domain/Transaction.ts"
import { height, seconds, secondsOf } from "../../../src/domain/units.ts"
import { type Exchange, fixture, recorded, replay, sample } from "../../support/fixtures.ts"
import { withTexts } from "../../support/gaps.ts"
import { rowsOf } from "../../support/histories.ts"
import { refused, type SentRequest } from "../../support/http.ts"
import { Bch, Bitcoin, Dogecoin, Litecoin } from "../../support/networks.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { b, doge, nested, providers, row } from "./historySamples.ts"
import { type Module, networkWithHeads as network } from "./made.ts"

type Body = Readonly<Record<string, unknown>>

/** History of an address if only this host responds, with the response of one exchange, and the requests to it. */
const historyFrom = Effect.fnUntraced(function* (
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
) {
  // Pages after the recorded one are not available.
  let answers = 0
  const reply = () => (answers++ === 0 ? replay({ ...exchange, response: { ...exchange.response, body } }) : refused)
  const made = yield* network(module, { [host]: reply }, environment)
  const address = Either.getOrThrow(made.address(text))
  if (made.history === undefined) return assert.fail("has no history")
  const part = yield* settled(Effect.map(made.history({ address, limit }), withTexts))
  const requests: ReadonlyArray<SentRequest> = made.requests.filter(({ url }) => url.host === host)
  return { part, requests, rows: rowsOf(address, part.transactions) }
})

const sum = (parties: Transaction["from"], address?: string) =>
  parties.reduce((all, party) => (address === undefined || party.address === address ? all + party.amount : all), 0n)

/** Received minus sent amounts and the fees of sent transactions. Checks that the sums of both sides are equal. */
const balanceOf = ({ transactions }: Pick<HistoryPart, "transactions">, holder: string) =>
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
        assert.deepStrictEqual(part.transactions.map(row), rows)
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
    assert.deepStrictEqual(part.transactions.map(row), [
      "b1b1b1b1 Send Success 1760000000 fee 40000000: doge1:1000000 -> Unknown:1000000",
      "b3b3b3b3 Receive Success 1759999900 fee 0: coinbase:1000000000000 -> doge1:1000000000000"
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
    assert.deepStrictEqual(part.transactions.map(row), [
      "3f807e3b Receive Success 1760006000 fee 540: b5:5460 -> b1:5460"
    ])
  })

  it("blockbook: coins beside tokens of bch are those of their holder, also where they are spent", () => {
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
    assert.deepInclude(pages[0]?.transactions[0], {
      hash: "a8".repeat(32),
      block: height(820_345),
      time: seconds(1_700_000_145)
    })
  })
})

/** A recorded history, or a list with one recorded transaction. */
interface Recording {
  readonly shows: string
  readonly holder: string
  /** All rows of the history, or some of the `count` rows. */
  readonly rows: ReadonlyArray<string>
  readonly count?: number
  /** The sum of all rows. */
  readonly balance?: bigint
  /** Changes the recorded body. */
  readonly body?: (recorded: Body) => unknown
  readonly limit?: number
  readonly more?: true
  readonly missing?: ReadonlyArray<string>
  readonly query?: Readonly<Record<string, string>>
}

interface RecordedProvider {
  readonly module: Module
  readonly host: string
  readonly environment?: Readonly<Record<string, string>>
  /** Path and query of the first request. */
  readonly path: (holder: string) => string | RegExp
  readonly query?: Readonly<Record<string, string>>
  readonly cases: Readonly<Record<string, Recording>>
}

const histories = (folder: string, { cases, environment = {}, host, module, path, query }: RecordedProvider) => {
  for (const [
    name,
    { balance, body, count, holder, limit = 500, missing = [], more, rows, shows, ...own }
  ] of Object.entries(cases))
    it(`${folder}, ${name}: ${shows}`, function* () {
      const exchange = fixture(folder, name)
      const recordedBody = exchange.response.body as Body
      const changed = { body: body === undefined ? recordedBody : body(recordedBody), environment, limit }
      const { part, requests, rows: found } = yield* historyFrom(module, host, exchange, holder, changed)
      assert.deepStrictEqual(count === undefined ? found : found.filter((row) => rows.includes(row)), rows)
      assert.strictEqual(found.length, count ?? rows.length)
      const sum = balanceOf(part, holder)
      if (balance !== undefined) assert.strictEqual(sum, balance)
      assert.deepStrictEqual(
        [part.more, part.sources, part.missing],
        [more ?? false, [`${module.info.id}-${folder}`], missing]
      )
      const orders = part.transactions.map(({ order = 0 }) => order)
      assert.deepStrictEqual(
        orders,
        orders.toSorted((item, other) => other - item)
      )
      const { pathname, searchParams } = requests[0]?.url ?? assert.fail("no request")
      assert.match(pathname, new RegExp(path(holder)))
      assert.deepStrictEqual(Object.fromEntries(searchParams), own.query ?? query ?? {})
    })
}

/** List with one recorded transaction. */
const alone = (body: Body) => [body]

const free = "1PJJygLB42VsaTgo2twFPgRT8CNz1bpGNE"
const dogecoin = Dogecoin.info.sampleAddress

/** Recorded on Bitcoin. All networks have the same members, and addresses of other parties are returned unchanged. */
const onDogecoin = (value: object): Body =>
  JSON.parse(
    JSON.stringify({ address: btc, n_tx: 0, ...value })
      .replaceAll(btc, dogecoin)
      .replaceAll(free, dogecoin)
  )

recorded("recorded histories of indexers", () => {
  const prefix = "bitcoincash:"
  histories("esplora", {
    module: Bch,
    host: "mine.test",
    environment: { BCH_ESPLORA_URLS: "http://mine.test/api", BCH_BLOCKBOOK_URLS: ",", BCH_HASKOIN_URLS: "," },
    // The public instance accepts only the legacy form, not CashAddr.
    path: () => "^/api/address/[13][^/]+/txs$",
    cases: {
      "bch-address-txs-p2sh-multisig": {
        shows: "the format of a fork, with the requested address and another one among the inputs",
        holder: `${prefix}prxsnmzaer7whacy04arcu4jtlm83xfvf5fxdvr36d`,
        rows: [
          `0f4cb812 Send Success 1769007389 fee 1278: ${prefix}pq2klmc0sarndpvymenhl5ywpvgtkxynmgwgn6nv9s:27328696 + me:309617948 -> ${prefix}qr3u8szwdl4el5ur428t3qs3cn8kqyhlesjqfjmp7k:336946644`
        ]
      },
      "bch-address-txs-mempool-pending": {
        shows: "a mempool transaction is pending since it was first seen, and four inputs of one address are one party",
        holder: `${prefix}qrfteder6s5flm8guuwkxs3vyrk5rn22dum3h8j8f7`,
        rows: [
          `6cda8ef8 Send Pending 1769222712 fee 6660: me:839993340 -> ${prefix}qzyg7zc3a846hhzk6ppc3rzarm782n8tlqstnsytu3:39332651 + ${prefix}qq6lt0da0979aeekrruy2vqsudkjdznejcyvrsvpv8:800660689`
        ]
      }
    }
  })

  histories("esplora", {
    module: Bitcoin,
    host: "mempool.space",
    path: (holder) => `^/api/address/${holder}/txs$`,
    cases: {
      "btc-tx-core-backend-opreturn-empty-address": {
        shows: "an output without an address and coins has no recipient: the whole input is the fee",
        holder: "bc1p3zfekshja5gnm4r4vp2mz7wd0pxze7jjetffq3jprs5rxk4zq4wqesykl2",
        body: alone,
        rows: ["f859a4e6 Send Success 1746868490 fee 11586: me:0 -> "]
      },
      "btc-tx-genesis-coinbase-p2pk": {
        shows: "the genesis transaction is confirmed at height 0, with new coins for a bare public key",
        holder: "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
        body: alone,
        rows: ["4a5e1e4b Receive Success 1231006505 fee 0: coinbase:5000000000 -> Unknown:5000000000 + me:0"]
      },
      "btc-tx-unconfirmed-mempool-extra-fields": {
        shows: "members of forks and versions beyond 32 bits are ignored, and the time is that of first seen",
        holder: "bc1qak63vld8a97884unr6epxzkrud8xs3dfdqswy2",
        body: (row) => [{ ...row, version: 2 ** 40 }],
        rows: [
          "21518a98 Receive Pending 1683864993 fee 8794: bc1qmxr9gxrtjrv4mflrrgcf986mtd4q4ujss432tk:253008854 -> me:253008854"
        ]
      },
      "btc-tx-replaced-cached": {
        shows: "a replaced transaction is left out; its replacement, which has no time, is pending since now",
        holder: "1stAprEZapjCYGUACUcXohQqSHF9MU5Kj",
        body: (row) => [row, fixture("esplora", "btc-tx-unconfirmed-rbf-replacement").response.body],
        rows: ["b6a53d8a Send Pending 0 fee 960: me:49040 -> me:49040"]
      },
      "btc-address-never-used": { shows: "no history", holder: btc, body: () => [], rows: [] }
    }
  })

  const book = { details: "txs", pageSize: "500", page: "1" }
  const blockbook = { query: book, path: (holder: string) => `^/api/v2/(address|xpub)/${holder}$` }
  histories("blockbook", {
    ...blockbook,
    module: Bitcoin,
    host: "blockbook.btc.zelcore.io",
    cases: {
      "btc-address-details-txs": {
        shows: "all transactions add up to the balance, and those of one block retain their order",
        holder: "bc1qrfr44n2j4czd5c9txwlnw0yj2h82x9566fglqj",
        count: 13,
        // In two transactions with other payers, the others bear the larger part of the fee.
        balance: 16245n - (8784n - 4018n) - (28956n - 3518n),
        rows: [
          "36b1e721 Send Success 1586299624 fee 1130: me:3699 -> 34DBwkzPz6yeqU1LoZLVzdCm91oeyxq37T:1000 + bc1q3u68k04pecgnkz0qjcf95wknxyxap2287gyzrg:2699",
          "81805450 Receive Success 1584485709 fee 226: bc1q3230a7cqt2drewuza8qff4c4gpt4muy9qyqknw:1473 -> me:1473",
          // A payment of everything to itself, in two outputs.
          "c6a4c82d Send Success 1584485709 fee 226: me:5829 -> me:5829"
        ]
      },
      "btc-tx-by-hash-brc20-commit": {
        shows: "the new members of a recent Blockbook",
        holder: "bc1prs529jr4v69hlm35u305j6tnk6erk6n9s48nl3raw0gz54k9twls6pvnee",
        body: (row) => ({
          address: "bc1prs529jr4v69hlm35u305j6tnk6erk6n9s48nl3raw0gz54k9twls6pvnee",
          page: 1,
          totalPages: 1,
          transactions: [row]
        }),
        rows: [
          "654c6a28 Receive Success 1733199947 fee 1694: bc1p8l0xktmerqgwgrq6l6cejzc3dhph5z8cv6ae083cuvcjhpnten7s2wjswr:546 -> me:546"
        ]
      }
    }
  })

  histories("blockbook", {
    ...blockbook,
    module: Dogecoin,
    host: "blockbook.doge.zelcore.io",
    cases: {
      "doge-address-details-txs": {
        shows: "all transactions add up to the balance, with fees of more than one coin",
        holder: "D5dAUAx3Ezg1q4dRgzKTBsxp4VJietWkDh",
        count: 12,
        balance: 50394795942n,
        rows: [
          "fee8381f Send Success 1585794154 fee 158200000: me:841800000 -> D97xcKB9EAPmgNExbB5nAXDAQ9s5ZJ91J4:134700000 + DMVPBRTD6bgqr3fk2yTdz97hS4AA2gzj8g:707100000"
        ]
      }
    }
  })

  const key = String((fixture("blockbook", "ltc-xpub-details-txs").response.body as Body).address)
  histories("blockbook", {
    ...blockbook,
    module: Litecoin,
    host: "blockbook.ltc.zelcore.io",
    cases: {
      "ltc-xpub-details-txs": {
        shows: "the addresses of an extended public key are one holder",
        holder: key,
        limit: 10,
        query: { ...book, pageSize: "10", tokens: "used" },
        more: true,
        count: 10,
        rows: [
          "bfce02fd Send Success 1583910871 fee 452: me:100000 -> ltc1qenc97w7y20mlvma53vfyh4ukjz7rp83zf892wx:100000",
          "674092ed Send Success 1583831802 fee 452: me:1788530 -> me:1788530"
        ]
      }
    }
  })

  it("blockbook, bch-address-115-inputs-huge-total: shows 24 parties, and reports rows after the first page as missing", function* () {
    const exchange = fixture("blockbook", "bch-address-115-inputs-huge-total")
    const holder = `${prefix}qq07l6rr5lsdm3m80qxw80ku2ex0tj76vvsxpvmgme`
    const host = "blockbook.bch.zelcore.io"
    const { part: five, rows } = yield* historyFrom(Bch, host, exchange, holder, { limit: 5 })
    assert.deepStrictEqual([rows.length, five.more, five.missing], [5, true, []])
    const [from = "", to] = rows[0]?.split(" -> ") ?? []
    assert.isTrue(from.startsWith(`0284cb9b Send Success 1575319726 fee 17098: me:${115030693723n - 17098n} + `))
    assert.lengthOf(from.split(" + "), 24)
    const others = [
      "qzdzvtgxyxqeerqh6d98lm9pkwdnj9t6lydxqg82t6:32902",
      "qqhdntka6w4x9kfz6vcztyq4x835fy22vg3yc55de7:115067302350"
    ]
    assert.strictEqual(to, others.map((other) => `${prefix}${other}`).join(" + "))

    const { part: more } = yield* historyFrom(Bch, host, exchange, holder)
    assert.deepStrictEqual(
      [more.transactions.length, more.more, more.missing],
      [5, true, ["older transactions: bch-blockbook: could not be reached: connection refused"]]
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

  const haskoin = () => fixture("haskoin", "bch-transactions-full-multi-address")
  const holder = `${prefix}qpplh0vyfn67cupcmhq4g2dt3s50rlarmclu9vnndt`
  const all = haskoin().response.body as unknown as ReadonlyArray<Body>
  const own = all.filter((item) => JSON.stringify(item).includes(holder))
  const fromHaskoin = (body: unknown = all) => historyFrom(Bch, "api.haskoin.com", haskoin(), holder, { body })

  it("haskoin: is requested without the prefix and with one row more than needed, and retains the order of a block", function* () {
    const { part, requests, rows } = yield* fromHaskoin(own)
    const hashes = part.transactions.map(({ hash }) => hash)
    assert.deepStrictEqual<unknown>(
      hashes,
      own.map(({ txid }) => txid)
    )
    assert.deepStrictEqual(rows.slice(0, 2), [
      `8ee15aaa Receive Success 1663343032 fee 255: ${prefix}qrelay224c3ptllfl7k9yu6c9nvv3agjvswykg0xpc:1559391 -> me:1559391`,
      `03601a38 Receive Success 1657064906 fee 219: ${prefix}qzn29wvfk6undghjecet476gtvsh29fhwsrx2ycj2c:9605 -> me:9605`
    ])
    balanceOf(part, holder)
    const [url, ...more] = requests.map(({ url }) => `${url.pathname}${url.search}`)
    assert.strictEqual(
      url,
      "/bch/address/qpplh0vyfn67cupcmhq4g2dt3s50rlarmclu9vnndt/transactions/full?limit=501&offset=0"
    )
    assert.deepStrictEqual(more, [])
  })

  it("haskoin: has equal sums for every transaction, including many in one block and with many parties", function* () {
    const { part } = yield* fromHaskoin()
    assert.strictEqual(part.transactions.length, own.length)
    balanceOf(part, holder)
    for (const { fee, hash } of part.transactions)
      assert.strictEqual(fee, BigInt(Number(all.find(({ txid }) => txid === hash)?.fee)))
  })

  it("haskoin: omits deleted transactions, and shows mempool transactions as pending", function* () {
    const [first = {}, second = {}] = own
    const body = [
      { ...first, block: { mempool: 1663343032 } },
      { ...second, deleted: true }
    ]
    const { rows } = yield* fromHaskoin(body)
    assert.deepStrictEqual(
      rows.map((row) => row.slice(9, 35)),
      ["Receive Pending 1663343032"]
    )
  })

  it("do not come from multiaddr, because it leaves out outputs to other addresses", () => {
    const { txs } = fixture("haskoin", "bch-multiaddr-filtered-outputs").response.body as {
      readonly txs: ReadonlyArray<{ readonly vout_sz: number; readonly out: ReadonlyArray<unknown> }>
    }
    assert.isTrue(txs.some(({ out, vout_sz }) => out.length < vout_sz))
  })

  const partly = ["some parties of transactions with very many inputs or outputs"]
  histories("blockchain-info", {
    module: Bitcoin,
    host: "blockchain.info",
    path: (holder) => `^/rawaddr/${holder}$`,
    query: { limit: "50", offset: "0" },
    cases: {
      // Recorded from multiaddr, which leaves out the other output. This is reported.
      "btc-multiaddr-same-block-chain": {
        shows: "a spending transaction is before the spent one in the same block",
        holder: "bc1qdlt2jrplkf0v7ucvhhjhs0qf7cqr0j27k7j7p0",
        body: ({ txs }) => ({ address: "bc1qdlt2jrplkf0v7ucvhhjhs0qf7cqr0j27k7j7p0", n_tx: 2, txs }),
        missing: partly,
        rows: [
          "3281f96f Send Success 1631333672 fee 31350: me:112010 + bc1q5242kk7ut5nkyv74g765amvwqnglrya6xgj6mz:3431826 -> 3CXosf9wCHdSkGieziJ4BVg8g9HpwbX45t:1000000 + bc1qm4lpczdpkcs6j4twpzd2lgguy0sd8zzsm6puhl:2543836",
          "c12f6f1e Receive Success 1631333672 fee 21300: bc1qehqxp54z5232t42knqs6wfrynm46697d5dstzu:1113000 -> me:113000 + Unknown:1000000"
        ]
      },
      "btc-rawtx-opreturn-only": {
        shows: "an output without an address and coins has no recipient",
        holder: btc,
        body: (row) => ({ address: btc, n_tx: 1, txs: [row] }),
        rows: ["eb4d2def Send Success 1729677861 fee 1000: me:0 -> "]
      },
      "btc-rawtx-p2pk-zero-fee": {
        shows: "a fee of zero is 0",
        holder: free,
        body: (row) => ({ address: free, n_tx: 1, txs: [row] }),
        rows: ["1db6251a Send Success 1313042188 fee 0: me:5000000000 -> 15WvMGm9qG1wDb54TMcvgzZsfvz9KdxzoN:5000000000"]
      }
    }
  })

  const exchange = fixture("blockcypher", "btc-address-full-page")
  const body = exchange.response.body as Body
  const fromBlockCypher = (body: unknown) =>
    historyFrom(Dogecoin, "api.blockcypher.com", exchange, dogecoin, {
      body,
      environment: { DOGECOIN_BLOCKBOOK_URLS: "," }
    })
  histories("blockcypher", {
    module: Dogecoin,
    host: "api.blockcypher.com",
    environment: { DOGECOIN_BLOCKBOOK_URLS: "," },
    path: (holder) => `/addrs/${holder}/full$`,
    query: { limit: "50", txlimit: "200" },
    cases: {
      "btc-tx-opreturn-only-double-spend-flag": {
        shows: "a confirmed double spend is a success",
        holder: dogecoin,
        body: (row) => onDogecoin({ txs: [row] }),
        rows: ["eb4d2def Send Success 1729677861 fee 1000: me:0 -> "]
      },
      "btc-tx-p2pk-legacy-zero-fee": {
        shows: "a fee of zero is 0",
        holder: dogecoin,
        body: (row) => onDogecoin({ txs: [row] }),
        rows: ["1db6251a Send Success 1313042188 fee 0: me:5000000000 -> 15WvMGm9qG1wDb54TMcvgzZsfvz9KdxzoN:5000000000"]
      }
    }
  })

  it("blockcypher: retains the order of a block, shows OP_RETURN with coins, and the next page starts with the last block", function* () {
    const { part, requests, rows } = yield* fromBlockCypher(onDogecoin(body))
    const hashes = part.transactions.map(({ hash }) => hash)
    assert.deepStrictEqual<unknown>(
      hashes,
      (body.txs as ReadonlyArray<Body>).map(({ hash }) => hash)
    )
    assert.deepStrictEqual(rows.slice(0, 2), [
      "a3b6b354 Send Success 1752575357 fee 42996: me:48 -> Unknown:48",
      "de9ed2ac Receive Success 1752575357 fee 882: 1C6XJtNXiuXvk4oUAVMkKF57CRpaTrN5Ra:43044 -> me:43044"
    ])
    // Everything was spent. The fee of 67c97abe has another payer, too; the holder's share of it is 109.
    assert.strictEqual(balanceOf(part, dogecoin), 109n - 390n)
    assert.deepStrictEqual(
      requests.slice(0, 2).map(({ url }) => url.search),
      ["?limit=50&txlimit=200", "?limit=50&txlimit=200&before=883682"]
    )
    assert.isTrue(part.more)
  })

  it("blockcypher: retains all digits of JSON numbers beyond 2^53", function* () {
    const [, second] = body.txs as ReadonlyArray<Body>
    const text = JSON.stringify(onDogecoin({ n_tx: 1, txs: [second] }))
      .replace('"output_value":10213884', '"output_value":9007199264911833')
      .replace('"value":43044', '"value":9007199254740993')
    const { rows } = yield* fromBlockCypher(text)
    assert.match(rows[0] ?? "", /fee 882: .* -> me:9007199254740993$/)
  })

  it("blockcypher: reports parties of a large transaction that are not listed as missing", function* () {
    const [first = {}] = body.txs as ReadonlyArray<Body>
    const { part, rows } = yield* fromBlockCypher(onDogecoin({ txs: [{ ...first, vout_sz: 400, fees: 77 }] }))
    assert.deepStrictEqual(part.missing, partly)
    assert.include(rows[0], " fee 77: ")
    const pending = { ...first, block_height: -1, confirmed: undefined }
    const [row] = (yield* fromBlockCypher(onDogecoin({ txs: [pending] }))).rows
    assert.include(row, " Pending 1752575357 ")
  })

  it("esplora: contain the same transaction of a test network as BlockCypher", () => {
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
    assert.strictEqual(page.transactions[0]?.time, secondsOf(String(other.confirmed)))
    assert.strictEqual(page.transactions[0]?.block, other.block_height)
    assert.strictEqual(page.next, undefined)
  })
})
