import { assert, describe, it } from "@effect/vitest"
import { decodeQR } from "qr/decode.js"
import type { Lookup } from "../../src/page/addresses/accounts.ts"
import { codeOf } from "../../src/page/receive/code.ts"
import { receivingOf } from "../../src/page/receive/options.ts"

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

  it("is of addresses that the service recognises, in their checked spelling, not of keys and networks that are gone", () => {
    const [evm = "", bitcoin = ""] = addresses
    const on = (network: string, canonical: string, kind = "address") => ({ network, canonical, kind })
    const lookups = [
      found(evm.toLowerCase(), [on("ethereum", evm), on("base", evm), on("zkevm", evm)]),
      found(bitcoin, [on("bitcoin", bitcoin)]),
      found("xpub6", [on("bitcoin", "xpub6", "xpub")]),
      found("stake1", [on("cardano", "stake1", "stake")]),
      found("long", [on("sui", "a".repeat(301))]),
      found("nonsense", []),
      { state: "failed", text: "b", problem: "no" } as const
    ]
    assert.deepStrictEqual(receivingOf(lookups, ["zkevm"]), [
      { address: evm, networks: ["ethereum", "base"] },
      { address: bitcoin, networks: ["bitcoin"] }
    ])
  })
})
