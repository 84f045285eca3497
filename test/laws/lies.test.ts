import * as Effect from "effect/Effect"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import { encodeAggregate, multicall3Address } from "../../src/chains/evm/multicall.ts"
import { encodeScan } from "../../src/chains/evm/scanner/Codec.ts"
import type { PortfolioChart } from "../../src/contract/PortfolioApi.ts"
import { assert, describe, it } from "../support/vitest.ts"
import { changes, undetectable } from "./changes.ts"
import { partChanges, partsIn } from "./encoded.ts"
import { factsOf, isAbout, isAboutMembers, isAdmission, isPriced, lackingIn, reasonsIn } from "./facts.ts"
import known from "./known.json" with { type: "json" }
import { contradictions } from "./ledger.ts"
import { kindsIn as placeKinds } from "./lies.ts"
import { kindOf as placeKind, rootOf, spliced, within } from "./places.ts"
import { type Known, kindOf, kindsIn, report } from "./report.ts"
import { addressesOf, histories } from "./requests.ts"
import { brokenSums } from "./sums.ts"
import { begun, sandboxOf, start } from "./trial.ts"
import { without } from "./walks.ts"

const text = ' {"a" : [ {"b":18446744073709551615, "0xabcdefabcdefabcdefabcdefab":"7"} , {"b":"-1.5e3"}],"c":null}'

const placesOf = (document: string) => {
  const root = rootOf(document)
  assert(root !== undefined)
  return within(root)
}

/** All texts that a change makes of a document. */
const made = (name: string, document: string, known: ReadonlyArray<string> = []) =>
  placesOf(document).flatMap(
    (place) => changes.find((change) => change.name === name)?.at(document, place, known) ?? []
  )

describe("the places of a response", () => {
  it("are all its values, each with its span in the text", () => {
    assert.deepStrictEqual(
      placesOf(text).map((place) => [placeKind(place), text.slice(place.start, place.end)]),
      [
        ["", text.trim()],
        ["a", '[ {"b":18446744073709551615, "0xabcdefabcdefabcdefabcdefab":"7"} , {"b":"-1.5e3"}]'],
        ["a.[]", '{"b":18446744073709551615, "0xabcdefabcdefabcdefabcdefab":"7"}'],
        ["a.[].b", "18446744073709551615"],
        ["a.[].{}", '"7"'],
        ["a.[]", '{"b":"-1.5e3"}'],
        ["a.[].b", '"-1.5e3"'],
        ["c", "null"]
      ]
    )
    assert.isUndefined(rootOf("<html>"))
  })

  it("are named by the methods of a batch, the last rows apart", () => {
    const body = '[{"id":1,"method":"eth_chainId"},{"id":2,"method":"eth_call"},{"id":3,"method":"eth_call"}]'
    const response = '[{"id":3,"result":"0x3"},{"id":1,"result":"0x1"},{"id":2,"result":"0x2"}]'
    const kindsOf = (of: string, answer: string) => {
      const root = rootOf(answer)
      assert(root !== undefined)
      const kind = placeKinds(of, answer, root)
      return within(root).map(kind)
    }
    assert.deepStrictEqual(
      kindsOf(body, response).filter((kind) => kind.endsWith("result")),
      ["[eth_call].result", "[eth_chainId].result", "last [eth_call].result"]
    )
    assert.deepStrictEqual(kindsOf("", '{"a":[{"b":1},{"b":2}]}'), [
      "",
      "a",
      "a.[]",
      "a.[].b",
      "last a.[]",
      "last a.[].b"
    ])
  })

  it("are replaced without a change of the others", () => {
    const [, , , number, , , string] = placesOf(text)
    assert(number !== undefined && string !== undefined)
    assert.strictEqual(
      spliced(text, [
        [number, "1"],
        [string, "{}"]
      ]),
      ' {"a" : [ {"b":1, "0xabcdefabcdefabcdefabcdefab":"7"} , {"b":{}}],"c":null}'
    )
  })
})

describe("lies about a response", () => {
  it("keep it valid, and the form of numbers", () => {
    assert.deepStrictEqual(made("negative", '{"a":"0x10","b":5,"c":"5","d":"five"}'), [
      '{"a":"-0x7","b":5,"c":"5","d":"five"}',
      '{"a":"0x10","b":-7,"c":"5","d":"five"}',
      '{"a":"0x10","b":5,"c":"-7","d":"five"}'
    ])
    assert.deepStrictEqual(made("absent", '{"a":[{"b":1}]}'), ['{"unknown":0}', '{"a":[{"unknown":0}]}'])
    for (const { at, name } of changes)
      for (const place of placesOf(text)) {
        const changed = at(text, place, ["7", "8"])
        if (changed !== undefined) assert.isDefined(rootOf(changed), `${name} ${placeKind(place)}`)
      }
  })

  it("empty numbers, and turn truth values", () => {
    assert.deepStrictEqual(made("empty", '{"a":"10","b":"name","c":5}'), ['{"a":"","b":"name","c":5}'])
    assert.deepStrictEqual(made("flipped", '[true,"true",false]'), ['[false,"true",false]', '[true,"true",true]'])
    assert.deepStrictEqual(made("negative", "917000"), ["-7"])
  })

  it("double and reorder rows, and name another address of the request", () => {
    const rows = '[{"a":1},{"a":2}]'
    assert.deepStrictEqual(made("doubled", rows), ['[{"a":1},{"a":1},{"a":2}]'])
    assert.deepStrictEqual(made("reordered", rows), ['[{"a":2},{"a":1}]'])
    assert.deepStrictEqual(made("of another", '{"a":"0xAB","b":"0xEF"}', ["0xab", "0xcd"]), ['{"a":"0xcd","b":"0xEF"}'])
  })

  it("are no numbers in the place of addresses and hashes", () => {
    const [address, word] = [`0x${"ab".repeat(20)}`, `0x${"00".repeat(20)}${"cd".repeat(12)}`]
    assert.deepStrictEqual(
      made("exponent", JSON.stringify({ address, hash: `0x${"ab".repeat(32)}`, count: 5, word })),
      [
        JSON.stringify({ address, hash: `0x${"ab".repeat(32)}`, count: 5, word }).replace("5,", "1e30,"),
        JSON.stringify({ address, hash: `0x${"ab".repeat(32)}`, count: 5, word: "1e3" })
      ]
    )
  })

  it("can be found out if a count, a batch or the names of the request contradict a shorter list", () => {
    const cut = (document: unknown, known: ReadonlyArray<string> = []) => {
      const text = JSON.stringify(document)
      const change = changes.find(({ name }) => name === "cut short")
      const lists = placesOf(text).filter((place) => change?.at(text, place, known) !== undefined)
      return lists.map((place) => [
        JSON.parse(change?.at(text, place, known) ?? ""),
        change?.isPlausible?.(text, place, known)
      ])
    }
    const rows = [{ of: "a" }, { of: "b" }]
    assert.deepStrictEqual(cut({ rows }), [[{ rows: [{ of: "a" }] }, true]])
    assert.deepStrictEqual(cut({ total: 2, rows }), [[{ total: 2, rows: [{ of: "a" }] }, false]])
    assert.deepStrictEqual(cut(rows, ["a", "b"]), [[[{ of: "a" }], false]])
    assert.deepStrictEqual(cut([{ jsonrpc: "2.0" }, { jsonrpc: "2.0" }]), [[[{ jsonrpc: "2.0" }], false]])
  })

  it("are times of other centuries, in the same form", () => {
    assert.deepStrictEqual(made("of 2100", '{"blockTime":1795000000,"a":1795000000}'), [
      '{"blockTime":4105123200,"a":1795000000}'
    ])
    assert.deepStrictEqual(made("of 1970", '{"timestamp":"0x6afd4ac0"}'), ['{"timestamp":"0x28de80"}'])
    assert.deepStrictEqual(made("of 1970", '{"time":1795000000123}'), ['{"time":2678400000}'])
    assert.deepStrictEqual(made("of 2100", '{"timestamp":"2026-11-22T12:00:00Z"}'), [
      '{"timestamp":"2100-02-01T00:00:00.000Z"}'
    ])
  })

  it("drop rows, empty objects, and end lists at a page", () => {
    assert.deepStrictEqual(made("dropped", '{"a":[{"b":1},{"b":2}]}'), ['{"a":[{"b":2}]}'])
    assert.deepStrictEqual(made("null", '{"a":{"b":1}}'), ["null", '{"a":null}', '{"a":{"b":null}}'])
    assert.deepStrictEqual(made("no cursor", '{"hasNextPage":true,"endCursor":"x","b":true}'), [
      '{"hasNextPage":false,"endCursor":"x","b":true}',
      '{"hasNextPage":true,"endCursor":null,"b":true}'
    ])
  })

  it("change the numbers in encoded bytes", () => {
    const [one, two] = ["11", "22"].map((byte) => `0x${byte.repeat(20)}` as const)
    const made = (call: unknown, result: string) => {
      const [text, about] = [JSON.stringify({ result }), JSON.stringify(call)]
      return placesOf(text)
        .flatMap((place) => partsIn(about, text, place))
        .map(({ about, end, name, start }) => [name, text.slice(start, end), about.slice(-40)])
    }
    const data = encodeScan({
      gasPerCall: 1,
      start: 0,
      holders: [one ?? "0x", two ?? "0x"],
      tokensPacked: "33".repeat(20)
    })
    const [head, balance] = [`02${"0".repeat(15)}1${"0".repeat(15)}900000004`, (9).toString(16).padStart(64, "0")]
    assert.deepStrictEqual(
      made({ method: "eth_call", params: [{ data }] }, `0x${head}005f00000000${balance}00000003${balance}`).slice(3),
      [
        ["length", "005f", ""],
        ["native pair", "00000000", "11".repeat(20)],
        ["native balance", balance, "11".repeat(20)],
        ["token pair", "00000003", "22".repeat(20)],
        ["token balance", balance, "22".repeat(20)]
      ]
    )
    const calls = encodeAggregate([{ holder: one ?? "0x", token: "native" }], multicall3Address)
    const results = [8453, 1_700_000_000, 9].flatMap((word) => [1, 64, 32, word])
    const words = [32, 3, 96, 224, 352, ...results].map((word) => word.toString(16).padStart(64, "0")).join("")
    const parts = made({ method: "eth_call", params: [{ data: calls }] }, `0x${words}`)
    assert.deepStrictEqual(
      parts.slice(0, 6).map(([name]) => name),
      ["chain", "time"].flatMap((what) => ["success", "length", "word"].map((part) => `${what} ${part}`))
    )
    assert.deepStrictEqual(parts.slice(6), [
      ["native success", balance.replace("9", "1"), "11".repeat(20)],
      ["native length", balance.replace("09", "20"), "11".repeat(20)],
      ["native word", balance, "11".repeat(20)]
    ])
    assert.deepStrictEqual(made({ method: "state_getStorage" }, "0x01020304"), [["height", "01020304", ""]])
    assert.deepStrictEqual(
      partChanges.flatMap(({ name, of }) => {
        const digits = of({ name: "", start: 0, end: 8, about: "", isLittle: true })
        return digits === undefined ? [] : [[name, digits]]
      }),
      [
        ["negative", "f9ffffff"],
        ["zero", "00000000"]
      ]
    )
  })

  it("leave out rows of one transaction, in all lists", function* () {
    const lie = without("h1")
    const text = JSON.stringify({
      rows: [{ hash: "h1", logs: [{ index: 1 }] }, { hash: "h2" }],
      other: [{ tx: { hash: "h1" } }]
    })
    const changed = yield* Effect.promise(() =>
      lie({ upstream: "", method: "GET", url: "", body: "" }, async () => text)
    )
    assert(changed instanceof Response)
    assert.deepStrictEqual(yield* Effect.promise(() => changed.json()), { rows: [{ hash: "h2" }], other: [] })
  })

  it("leave out the undetectable ones, each with its reason", () => {
    const fits = (place: string, change: string) => undetectable.filter((row) => row.fits(place, change)).length
    assert.strictEqual(fits("trongrid /wallet/getaccountresource NetLimit", "absent"), 1)
    assert.strictEqual(fits("trongrid /wallet/getaccountresource NetLimit", "null"), 0)
    assert.strictEqual(fits("koios /api/v1/address_assets ", "cut short"), 1)
    assert.strictEqual(fits("koios /api/v1/address_assets ", "status 500"), 0)
    for (const { why } of undetectable) assert.match(why, /^.{20,}$/)
  })
})

describe("the facts of a response", () => {
  it("are its numbers and statements, named by the rows that contain them", () => {
    const body = [
      { hash: "0x1", status: "Success", fee: null, note: "words" },
      { hash: "0x1", fee: "12" }
    ]
    assert.deepStrictEqual(factsOf(body), [
      { path: "/0x1/status", value: "Success" },
      { path: "/0x1/fee", value: null },
      { path: "/0x1#2/fee", value: "12" }
    ])
  })

  it("may be admitted not to be known, with a reason", () => {
    assert.isTrue(isAdmission({ path: "/a/complete", value: false }))
    assert.isFalse(isAdmission({ path: "/a/complete", value: true }))
    assert.isTrue(isAdmission({ path: "/a/spendable", value: false }))
    assert.isFalse(isAdmission({ path: "/a/spendable", value: true }))
    const textsIn = (value: unknown) => reasonsIn(value).map(({ text }) => text)
    assert.deepStrictEqual(textsIn([{ balance: null, errorCode: "timeout" }]), ["errorCode timeout"])
    assert.deepStrictEqual(textsIn({ complete: false, missing: ["transfers: timed out"] }), ["transfers: timed out"])
    assert.deepStrictEqual(textsIn({ complete: false, missing: [] }), ["incomplete"])
    assert.deepStrictEqual(textsIn({ complete: false }), ["incomplete"])
    assert.deepStrictEqual(textsIn({ meta: { missing: [] }, errorCode: null }), [])
    assert.deepStrictEqual(textsIn([{ price: null, multiplier: null }]), ["multiplier unknown"])
    assert.deepStrictEqual(textsIn([{ price: null, multiplier: "2" }]), [])
  })

  it("are excused by a reason about the same address only", () => {
    const [timedOut] = reasonsIn({ meta: { tron: { one: { missing: ["transfers: timed out"] } } } })
    assert(timedOut !== undefined)
    const isExcused = (path: string) => isAbout(["one", "two"], timedOut, path)
    assert.deepStrictEqual(["/data/tron/one/0x1/fee", "/data/tron/two/0x1/fee", "/other"].map(isExcused), [
      true,
      false,
      true
    ])
    assert.isTrue(isAbout(["one"], { at: "", text: "timed out" }, "/data/tron/one"))
  })

  it("are excused by a reason about members of rows only if they are such members", () => {
    const isOfMembers = (text: string) => isAboutMembers({ at: "", text })
    assert.deepStrictEqual(
      [
        "fees and results of some transactions: timed out",
        "the fees of 2 transactions: subscan does not return them",
        '{"network":"tron","message":"decimals of tokens: not loaded"}',
        "ONE: the decimals of the token are not confirmed",
        "transactions with fees: timed out",
        "incomplete"
      ].map(isOfMembers),
      [true, true, true, true, false, false]
    )
  })

  it("include amounts that are called values, and tell those that depend on prices", () => {
    const facts = factsOf({ utxos: [{ txid: "a", vout: 0, value: "7" }], points: [{ at: 5, value: "1.5" }] })
    assert.includeDeepMembers(
      [...facts],
      [
        { path: "/utxos/a|0/value", value: "7" },
        { path: "/points/5/value", value: "1.5" }
      ]
    )
    assert.isTrue(isPriced("/points/5/value"))
    assert.isTrue(isPriced("/assets/a|b/values/-1"))
    assert.isFalse(isPriced("/context/gasPrice"))
  })

  it("are missing with their row or object", () => {
    const lacking = lackingIn(["/a/1/fee", "/b"])
    assert.deepStrictEqual(["/a/1/nonce", "/a/2/fee", "/c/x/y"].map(lacking), ["/a/1/nonce", "/a/2", "/c"])
  })
})

describe("the sums of a network", () => {
  const info = Catalogue.all.find(({ id }) => id === "bitcoin")
  assert(info !== undefined)
  const [holder = ""] = addressesOf(info)
  const row = {
    ...{ coinId: "bitcoin", blockchain: "bitcoin", tokenName: "", tokenSymbol: "", tokenDecimals: 8, thumbnail: "" },
    ...{
      contractAddress: null,
      assetId: null,
      holderAddress: holder,
      tokenType: "NATIVE" as const,
      balanceUsd: null,
      tokenPrice: null
    },
    balance: "0.5",
    rawBalance: "50000000",
    breakdown: { spendable: "0.4", unconfirmed: "0.1" }
  }
  const asset = {
    network: "bitcoin",
    coinId: "bitcoin",
    tokenSymbol: "",
    contractAddress: null,
    balances: ["0.5"],
    values: ["7"]
  }
  const series: PortfolioChart = {
    currency: "usd",
    step: 1,
    points: [{ at: 1, value: "7.0" }],
    assets: [asset],
    addresses: []
  }
  const meta = { complete: true, oldest: null, next: null, sources: [], missing: [] }
  const history = { data: { bitcoin: { [holder]: [] } }, meta: { bitcoin: { [holder]: meta } } }
  const placesIn = (found: ReturnType<typeof brokenSums>) =>
    found.map(({ at, route }) => `${route} ${at.split("/").at(-1)}`)

  it("fit, or something says that a part is missing", () => {
    assert.deepStrictEqual(brokenSums(info, [row], undefined, series), [])
    assert.deepStrictEqual(placesIn(brokenSums(info, [row], history)), ["history coin"])
    const incomplete = { ...history, meta: { bitcoin: { [holder]: { ...meta, complete: false } } } }
    assert.deepStrictEqual(brokenSums(info, [row], incomplete), [])
  })

  it("are broken by a part, a total, the last point, and a part that is left out", () => {
    const broken = (of: Partial<typeof row>, then: Partial<typeof series> = {}) =>
      placesIn(brokenSums(info, [{ ...row, ...of }], undefined, { ...series, ...then }))
    assert.deepStrictEqual(broken({ breakdown: { spendable: "0.4", unconfirmed: "0.2" } }), ["balance parts"])
    assert.deepStrictEqual(broken({}, { points: [{ at: 1, value: "8" }] }), ["portfolio/chart total"])
    assert.deepStrictEqual(broken({}, { assets: [{ ...asset, balances: ["0.6"] }] }), ["portfolio/chart last"])
    // A part of another asset is in the total, whose own value is null.
    const assets = [asset, { ...asset, coinId: "other", balances: [null], values: [null] }]
    const brokenBy = (value: string) => broken({}, { assets, points: [{ at: 1, value, approximate: true }] })
    assert.deepStrictEqual([brokenBy("8"), brokenBy("6")], [[], ["portfolio/chart total"]])
    assert.deepStrictEqual(placesIn(brokenSums(info, [{ ...row, balance: null } as never], undefined, series)), [
      "portfolio/chart part"
    ])
  })
})

describe("a response without a lie", () => {
  it("is compared with the ledger", function* () {
    const info = Catalogue.all.find(({ id }) => id === "bitcoin")
    assert(info !== undefined)
    const { ask } = yield* begun(info)
    const { world } = yield* sandboxOf(info)
    const asked = histories(info, addressesOf(info))
    const answered = yield* ask(asked)
    const of = (body: unknown) =>
      Effect.map(contradictions({ info, world, entries: [], now: start }, asked, { ...answered, body }), (all) =>
        all.map(({ at }) => at.split("/").at(-1))
      )
    assert.deepStrictEqual(yield* of(answered.body), [])
    const empty = JSON.parse(JSON.stringify(answered.body), (key, value) =>
      addressesOf(info).includes(key) && Array.isArray(value) ? [] : value
    )
    assert.include(yield* of(empty), "coin")
    const missing = JSON.parse(JSON.stringify(answered.body), (key, value) => (key === "missing" ? ["planted"] : value))
    assert.includeMembers(yield* of(missing), ["missing", "complete"])
  })
})

describe("known breaks", () => {
  it("are kinds: networks of a family are one", () => {
    const kind = (network: string) => kindOf({ law: "truth", route: "history", network })
    assert.strictEqual(kind("base"), "truth > history > evm")
    assert.strictEqual(kind("base"), kind("optimism"))
  })

  it("each name a network and a trial", () => {
    assert.isObject(known)
    for (const [kind, trial] of kindsIn(known)) {
      const [, network, place, change] = trial.split("|")
      const info = Catalogue.all.find(({ id }) => id === network)
      assert.isTrue(kind.endsWith(` > ${info?.family}`), kind)
      assert.isTrue(Boolean(place) && Boolean(change), kind)
    }
  })

  it("fail a run that judges nothing", function* () {
    const options = { network: "tron", route: "networks", seed: "1", minutes: "1", lies: "1" }
    const unjudged = [
      { network: "nosuch" },
      { route: "nosuch" },
      { law: "turth" },
      { minutes: "0" },
      { trial: "no|no" }
    ]
    for (const part of unjudged) {
      const lines: Array<string> = []
      const run = report({ ...options, ...part }, (line) => lines.push(line))
      assert.strictEqual(yield* Effect.promise(() => run), 1, JSON.stringify(part))
      assert.include(lines.at(-2), "nothing was judged")
    }
    // A route without sums has no trials of their law: the run ends.
    const run = report({ ...options, law: "sums" }, () => {})
    assert.strictEqual(yield* Effect.promise(() => run), 1)
  })

  it("fail a run that tries their trial, if they hold; the last line is a summary", function* () {
    const knowns: Known = {
      truth: { networks: { tron: "3|tron|clock|an hour back" }, fees: { tron: "2|tron|clock|another" } }
    }
    const options = { network: "tron", route: "networks", law: "truth", seed: "1", minutes: "1", lies: "9" }
    const lines: Array<string> = []
    const trial = "clock|an hour back"
    const run = report({ ...options, trial }, (line) => lines.push(line), knowns)
    assert.strictEqual(yield* Effect.promise(() => run), 1)
    assert.deepStrictEqual(lines, [
      "known, but it holds: truth > networks > tron",
      "laws: 1 lies tried, 0 new kinds of breaks (0), 0 known ones (0), 1 that hold"
    ])
  })
})
