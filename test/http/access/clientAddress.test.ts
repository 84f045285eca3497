import { isIPv6 } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { addressOf, clientOf, networkOf, shownClient } from "../../../src/http/access/clientAddress.ts"
import * as TrustedProxies from "../../../src/http/access/TrustedProxies.ts"

const group = FastCheck.integer({ min: 0, max: 0xffff })
const groups = FastCheck.array(group, { minLength: 8, maxLength: 8 })
const hex = (all: ReadonlyArray<number>) => all.map((value) => value.toString(16)).join(":")

/** Canonical form of an IPv6 address, from the URL parser of the runtime. */
const canonical = (address: string) => new URL(`http://[${address}]`).hostname

describe("the network of a client", () => {
  it("is the first 64 bits of an IPv6 address, in every spelling", () =>
    FastCheck.assert(
      FastCheck.property(groups, groups, (address, other) => {
        FastCheck.pre(address.slice(0, 5).some((value) => value !== 0))
        const same = [...address.slice(0, 4), ...other.slice(4)]
        const expected = `${hex(address.slice(0, 4))}::/64`
        for (const written of [
          hex(address),
          hex(address).toUpperCase(),
          canonical(hex(address)).slice(1, -1),
          hex(same)
        ])
          assert.strictEqual(networkOf(written), expected, written)
        assert.strictEqual(networkOf(`${hex(address)}%eth0`), expected)
      }),
      { numRuns: 200 }
    ))

  it("is the whole IPv4 address, also if it is mapped to IPv6", () =>
    FastCheck.assert(
      FastCheck.property(FastCheck.ipV4(), (address) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number)
        const mapped = hex([a * 256 + b, c * 256 + d])
        for (const written of [address, `::ffff:${address}`, `::FFFF:${mapped}`, `0:0:0:0:0:ffff:${mapped}`])
          assert.strictEqual(networkOf(written), address, written)
      }),
      { numRuns: 100 }
    ))

  it("is the first 64 bits of ::, ::1 and an address that ends in IPv4", () => {
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
    it(`is undefined for an invalid address: "${text}"`, () => {
      assert.isUndefined(networkOf(text))
    })
})

const trusting = (text: string) => Either.getOrThrow(TrustedProxies.parse(text))

const nearest = trusting("true")

describe("the last forwarded address", () => {
  /** Undefined if the socket address is used. */
  const forwarded = (header: string) => {
    const found = clientOf(nearest, header, "192.0.2.77")
    return found === "192.0.2.77" ? undefined : found
  }

  const v4 = FastCheck.ipV4()
  const v6 = FastCheck.ipV6().filter(isIPv6)
  const port = FastCheck.integer({ min: 0, max: 65_535 })

  it("is parsed without port and brackets, and earlier entries are ignored", () =>
    FastCheck.assert(
      FastCheck.property(v4, v6, port, FastCheck.string(), (four, six, at, before) => {
        for (const [written, address] of [
          [four, four],
          [`${four}:${at}`, four],
          [six, six],
          [`[${six}]`, six],
          [`[${six}]:${at}`, six]
        ] as const) {
          assert.strictEqual(forwarded(written), addressOf(address), written)
          assert.strictEqual(forwarded(`${before}, \t${written} `), addressOf(address), written)
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
    it(`is ignored if it is invalid: "${header.slice(0, 30)}"`, () => {
      assert.isUndefined(forwarded(header))
    })
})

describe("the client behind proxies", () => {
  const chain = "198.51.100.1, 203.0.113.9, 10.0.0.7, 10.0.0.8"

  it("is at the socket address if no proxy is trusted", () => {
    for (const text of ["false", "0", "FALSE"])
      assert.strictEqual(clientOf(trusting(text), chain, "10.0.0.9"), "10.0.0.9")
    assert.strictEqual(clientOf(TrustedProxies.none, chain, "::ffff:10.0.0.9"), "10.0.0.9")
  })

  it("is as many hops away as there are proxies, or at the first entry of a shorter list", () => {
    const found = ["true", "1", "2", "3", "4", "5"].map((text) => clientOf(trusting(text), chain, "10.0.0.9"))
    const [first, second, third, fourth] = chain.split(", ").reverse()
    assert.deepStrictEqual(found, [first, first, second, third, fourth, fourth])
  })

  it("is at the last address outside the trusted networks, but only if the socket is in one of them", () => {
    for (const text of ["10.0.0.0/8", "10.0.0.0/29,10.0.0.8,10.0.0.9", " 10.0.0.0/8 , fd00::/8,"])
      assert.strictEqual(clientOf(trusting(text), chain, "10.0.0.9"), "203.0.113.9", text)
    assert.strictEqual(clientOf(trusting("10.0.0.0/8"), chain, "192.0.2.1"), "192.0.2.1")
    assert.strictEqual(clientOf(trusting("fd00::/8"), "2001:DB8::1", "fd00::5"), "2001:db8::1")
    assert.strictEqual(clientOf(trusting("10.0.0.0/8"), "10.0.0.1, 10.0.0.2", "::ffff:10.0.0.9"), "10.0.0.1")
  })

  it("is never at an entry before an invalid address", () =>
    assert.strictEqual(clientOf(trusting("5"), "1.2.3.4, unknown, 5.6.7.8", "10.0.0.9"), "5.6.7.8"))

  for (const text of [
    "yes",
    "21",
    "-1",
    "1.5",
    "10.0.0.0/33",
    "10.0.0/8",
    "fd00::/129",
    "10.0.0.0/8/8",
    "localhost",
    ","
  ])
    it(`cannot be configured with TRUST_PROXY=${text}`, () => assert.isTrue(Either.isLeft(TrustedProxies.parse(text))))
})

describe("the client of a log line", () => {
  it("is its address, the network of many clients, or nothing", () => {
    for (const [address, network] of [
      ["203.0.113.7", "203.0.113.0/24"],
      ["::ffff:203.0.113.7", "203.0.113.0/24"],
      ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"],
      ["", ""],
      ["unix", ""]
    ] as const)
      assert.deepStrictEqual(
        [shownClient("full")(address), shownClient("network")(address), shownClient("none")(address)],
        [address, network, undefined]
      )
  })
})
