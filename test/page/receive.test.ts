import { assert, describe, it } from "@effect/vitest"
import { decodeQR } from "qr/decode.js"
import type { Lookup } from "../../src/page/addresses/accounts.ts"
import { codeOf } from "../../src/page/receive/code.ts"
import { notesOf, receivingOf } from "../../src/page/receive/options.ts"

/** Reads the picture of a code as a camera does: by its pixels. */
const readCode = ({ path, size }: ReturnType<typeof codeOf>): string => {
  const scale = 4
  const width = size * scale
  const data = new Uint8Array(width * width * 4).fill(255)
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let row = 0; row < scale; row++)
      for (let column = 0; column < scale; column++) {
        const pixel = 4 * ((Number(y) * scale + row) * width + Number(x) * scale + column)
        data.fill(0, pixel, pixel + 3)
      }
  return decodeQR({ width, height: width, data })
}

const addresses = [
  "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
  "bc1qrfr44n2j4czd5c9txwlnw0yj2h82x9566fglqj",
  "addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x",
  "UQBSc5sS2mQ3Xx6kPLfyLZJ5jQMCqaP1XRHYAZcVSrUVWgYN"
]

const found = (text: string, matches: ReadonlyArray<object>): Lookup =>
  ({ state: "found", text, matches }) as unknown as Lookup

describe("the code of an own address", () => {
  it("is read back as the address, for the addresses of any network", () => {
    for (const address of addresses) assert.strictEqual(readCode(codeOf(address)), address)
  })

  const on = (network: string, canonical: string, kind = "address") => ({ network, canonical, kind })
  const shownOf = (lookups: ReadonlyArray<Lookup>) =>
    receivingOf(lookups, ["zkevm"]).map(({ address, matches }) => [address, matches.map(({ network }) => network)])

  it("is of addresses that the service recognises, as entered, not of keys and networks that are gone", () => {
    const [evm = "", bitcoin = ""] = addresses
    const lower = evm.toLowerCase()
    const lookups = [
      found(evm, [on("ethereum", lower), on("base", lower), on("zkevm", lower)]),
      found(bitcoin.toUpperCase(), [on("bitcoin", bitcoin)]),
      found("xpub6", [on("bitcoin", "xpub6", "xpub")]),
      found("stake1", [on("cardano", "stake1", "stake")]),
      found("a".repeat(301), [on("sui", "a".repeat(301))]),
      found("gone", [on("zkevm", "gone")]),
      found("nonsense", []),
      { state: "failed", text: "b", problem: "no" } as const
    ]
    assert.deepStrictEqual(shownOf(lookups), [
      [evm, ["ethereum", "base"]],
      [bitcoin.toUpperCase(), ["bitcoin"]]
    ])
  })

  it("keeps the destination tag and the checksum of the entered spelling", () => {
    const account = "rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf"
    const [one, other] = [
      "X7gJ5YK8abHf2eTPWPFHAAot8Knck11QTWD7LxhYGX8nMzv",
      "X7AcgcsBL6XDcUb289X4mJ8djcdyKaGZMhc9YTE92ehJ2Fu"
    ]
    const polkadot = "15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5"
    const lookups = [
      found(one, [on("ripple", account)]),
      found(other, [on("ripple", account)]),
      found(polkadot, [on("polkadot", `0x${"ab".repeat(32)}`)])
    ]
    assert.deepStrictEqual(shownOf(lookups), [
      [one, ["ripple"]],
      [other, ["ripple"]],
      [polkadot, ["polkadot"]]
    ])
  })

  it("is of no network that spells the address differently: the form does not prove who can spend there", () => {
    const script = "3P14159f73E4gFr7JterCCQh9QjiTjiZrG"
    const cash = "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a"
    const lookups = [
      found(script, [
        on("bitcoin", script),
        on("bch", "bitcoincash:pr4hsn7f5ypnj2zvmm3pt9ta3qpfu6azlcgs5r7y9v"),
        on("litecoin", "MWE1f8mJp3CCWXpWSnTBwW8ZmTFYqtrWgW")
      ]),
      found(cash, [on("bch", cash)]),
      found(cash.slice(12).toUpperCase(), [on("bch", cash)]),
      found("both", [on("bch", "one"), on("litecoin", "other")])
    ]
    assert.deepStrictEqual(shownOf(lookups), [
      [script, ["bitcoin"]],
      [cash, ["bch"]],
      [cash.slice(12).toUpperCase(), ["bch"]]
    ])
  })

  it("has the notes on the address, with the networks that they are about", () => {
    const noted = { ...on("base", "a"), note: "No checksum." }
    const [shown] = receivingOf([found("a", [noted, { ...noted, network: "ethereum" }])], [])
    const nameOf = (network: string) => network.toUpperCase()
    assert.deepStrictEqual(notesOf(shown?.matches ?? [], [], nameOf), ["No checksum."])
    const [part] = receivingOf([found("a", [noted, on("ethereum", "a")])], [])
    assert.deepStrictEqual(notesOf(part?.matches ?? [], [], nameOf), ["BASE: No checksum."])
    assert.deepStrictEqual(notesOf(part?.matches ?? [], ["base"], nameOf), [])
  })
})
