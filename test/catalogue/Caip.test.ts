import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { addressIn, assetId, chainNames } from "../../src/catalogue/Caip.ts"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import { AddressesInQuery, CursorsInQuery } from "../../src/contract/wire.ts"

const named = (id: string) => {
  const facts = Catalogue.all.find((info) => info.id === id)
  if (facts === undefined) throw new Error(id)
  return facts
}

describe("the names of chains in other programs", () => {
  it("have the form of CAIP-2, and each is that of one network", () => {
    const names = Catalogue.all.flatMap(chainNames)
    for (const name of names) assert.match(name, /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/)
    assert.strictEqual(new Set(names.map((name) => name.toLowerCase())).size, names.length)
    for (const facts of Catalogue.all) assert.isNotEmpty(chainNames(facts), facts.id)
  })

  it("follow from the chain id of an EVM network only", () => {
    assert.deepStrictEqual(chainNames(named("base")), ["eip155:8453"])
    assert.deepStrictEqual(chainNames({ family: "tron", chainId: 728126428 }), [])
  })
})

describe("the id of an asset", () => {
  const usdt = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
  const mint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
  const issuer = "rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B"

  for (const [network, token, id] of [
    ["ethereum", null, "eip155:1/slip44:60"],
    ["polygon", null, "eip155:137/slip44:966"],
    ["bch", null, "bip122:000000000000000000651ef99cb9fcbe/slip44:145"],
    ["bitcoin", null, "bip122:000000000019d6689c085ae165831e93/slip44:0"],
    ["ton", null, "tvm:-239/slip44:607"],
    [
      "base",
      "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
      "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"
    ],
    ["tron", usdt, `tron:728126428/trc20:${usdt}`],
    ["solana", mint, `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:${mint}`],
    ["ripple", `${issuer}.USD`, `xrpl:0/token:USD.${issuer}`],
    ["ripple", `${issuer}.$$$`, null],
    ["ton", "EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs", null],
    ["cardano", "279c909f348e533da5808898f87f9a14bb2c3dfbbacccd631d927a3f534e454b", null]
  ] as const)
    it(`on ${network}, of ${token ?? "the coin"}, is ${id ?? "null: no form is registered"}`, () =>
      assert.strictEqual(assetId(named(network), token), id))

  it("is null for a coin without a number, and on a chain without an id", () => {
    const { slip44: _, ...native } = named("base").native
    assert.isNull(assetId({ ...named("base"), native }, null))
    assert.isNull(assetId({ family: "sui", native: named("sui").native }, null))
  })
})

describe("an account id", () => {
  const holder = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"
  const addressOf = (network: string, text: string) => addressIn(named(network))(text).toJSON()
  const right = (text: string) => ({ _id: "Either", _tag: "Right", right: text })
  const other = (chain: string) => ({
    _id: "Either",
    _tag: "Left",
    left: `the prefix "${chain}:" (CAIP-10) is not of this network`
  })

  it("is its address on its own network, in any case", () => {
    assert.deepStrictEqual(addressOf("base", `eip155:8453:${holder}`), right(holder))
    assert.deepStrictEqual(addressOf("solana", "solana:5EYKT4usFv8P8NJdTREpY1vzqKqZKvdp:abc"), right("abc"))
  })

  it("is its address on every EVM network if it names no chain of them, and on no other", () => {
    assert.deepStrictEqual(addressOf("base", `eip155:0:${holder}`), right(holder))
    assert.deepStrictEqual(addressOf("tron", `eip155:0:${holder}`), other("eip155:0"))
  })

  it("is refused on another network", () => {
    assert.deepStrictEqual(addressOf("base", `eip155:1:${holder}`), other("eip155:1"))
    assert.deepStrictEqual(
      addressOf("bitcoin", "bip122:000000000000000000651ef99cb9fcbe:1abc"),
      other("bip122:000000000000000000651ef99cb9fcbe")
    )
  })

  it("is distinguished from addresses with colons", () => {
    for (const text of ["bitcoincash:qabc", "0:ab", "-1:ab", `base:${holder}`, "eip155:1", "ethereum:pay:0x1:2"])
      assert.deepStrictEqual(addressOf("bch", text), right(text))
  })
})

describe("a network in a query", () => {
  const addresses = Schema.decodeUnknownSync(AddressesInQuery)

  it("may be a chain id, whose colon does not separate", () => {
    assert.deepStrictEqual(addresses("eip155:1:0xa,eip155:10143:0xb,solana:mainnet:c,TON:-239:EQ,eip155:1:0xd"), {
      "eip155:1": ["0xa", "0xd"],
      "eip155:10143": ["0xb"],
      "solana:mainnet": ["c"],
      "TON:-239": ["EQ"]
    })
    assert.deepStrictEqual(Schema.decodeUnknownSync(CursorsInQuery)("eip155:1:0xa:x1,bch:bitcoincash:q:y"), {
      "eip155:1": { "0xa": "x1" },
      bch: { "bitcoincash:q": "y" }
    })
  })

  it("is otherwise before the first colon", () => {
    assert.deepStrictEqual(addresses("ton:-1:ab,ton:0:cd,bch:bitcoincash:q,ethereum:eip155:1:0xa,ethereum:eth:0xb"), {
      ton: ["-1:ab", "0:cd"],
      bch: ["bitcoincash:q"],
      ethereum: ["eip155:1:0xa", "eth:0xb"]
    })
  })
})
