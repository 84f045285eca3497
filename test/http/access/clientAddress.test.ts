import { isIPv6 } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { forwarded, networkOf } from "../../../src/http/access/clientAddress.ts"

const group = FastCheck.integer({ min: 0, max: 0xffff })
const groups = FastCheck.array(group, { minLength: 8, maxLength: 8 })
const hex = (all: ReadonlyArray<number>) => all.map((value) => value.toString(16)).join(":")

/** What the standard makes of an address: the system's own reading of it. */
const canonical = (address: string) => new URL(`http://[${address}]`).hostname

describe("the network of a client", () => {
  it("is the first 64 bits of an IPv6 address, in whatever way it is written", () =>
    FastCheck.assert(
      FastCheck.property(groups, groups, (item, other) => {
        FastCheck.pre(item.slice(0, 5).some((value) => value !== 0))
        const same = [...item.slice(0, 4), ...other.slice(4)]
        const expected = `${hex(item.slice(0, 4))}::/64`
        for (const written of [hex(item), hex(item).toUpperCase(), canonical(hex(item)).slice(1, -1), hex(same)])
          assert.strictEqual(networkOf(written), expected, written)
        assert.strictEqual(networkOf(`${hex(item)}%eth0`), expected)
      }),
      { numRuns: 200 }
    ))

  it("is the address itself of IPv4, also where it is written as IPv6", () =>
    FastCheck.assert(
      FastCheck.property(FastCheck.ipV4(), (address) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number)
        const mapped = hex([a * 256 + b, c * 256 + d])
        for (const written of [address, `::ffff:${address}`, `::FFFF:${mapped}`, `0:0:0:0:0:ffff:${mapped}`])
          assert.strictEqual(networkOf(written), address, written)
      }),
      { numRuns: 100 }
    ))

  it("is that of ::1 and of an address that ends in IPv4", () => {
    assert.strictEqual(networkOf("::1"), "0:0:0:0::/64")
    assert.strictEqual(networkOf("::"), "0:0:0:0::/64")
    assert.strictEqual(networkOf("2001:db8::192.0.2.1"), "2001:db8:0:0::/64")
  })

  for (const text of [
    "",
    "unknown",
    "1.2.3",
    "1.2.3.4.5",
    "01.2.3.4",
    "256.1.1.1",
    "1:2",
    ":::",
    "::1::",
    "g::",
    "%",
    "%1"
  ])
    it(`is none of what is no address: "${text}"`, () => {
      assert.isUndefined(networkOf(text))
    })
})

describe("the last address that was forwarded", () => {
  const v4 = FastCheck.ipV4()
  const v6 = FastCheck.ipV6().filter(isIPv6)
  const port = FastCheck.integer({ min: 0, max: 65_535 })

  it("is read without port and brackets, and nothing before it counts", () =>
    FastCheck.assert(
      FastCheck.property(v4, v6, port, FastCheck.string(), (four, six, at, before) => {
        for (const [written, address] of [
          [four, four],
          [`${four}:${at}`, four],
          [six, six],
          [`[${six}]`, six],
          [`[${six}]:${at}`, six]
        ] as const) {
          assert.strictEqual(forwarded(written), networkOf(address), written)
          assert.strictEqual(forwarded(`${before}, \t${written} `), networkOf(address), written)
        }
      }),
      { numRuns: 100 }
    ))

  for (const header of [
    "",
    ",",
    "1.2.3.4,",
    "1.2.3.4, unknown",
    "1.2.3.4, _hidden",
    "1.2.3.4:http",
    "1.2.3.4:123456",
    "[1.2.3.4]",
    "[::1",
    "::1]",
    "[::1]x",
    "[]",
    'for="1.2.3.4"',
    `${"1".repeat(200)}`
  ])
    it(`is not taken where it is no address: "${header.slice(0, 30)}"`, () => {
      assert.isUndefined(forwarded(header))
    })
})
