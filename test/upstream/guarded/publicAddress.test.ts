import { isPublic } from "../../../src/upstream/guarded/PublicHosts.ts"
import { assert, it } from "../../support/vitest.ts"

const hosts = [
  "1.1.1.1",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.0",
  "192.167.255.255",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2001:200::1",
  "2001:4860:4860::8888",
  "2606:4700::1111",
  "2A00:1450:4001::1",
  "3ffe::1"
]

const others = [
  // This network, private networks, carrier-grade NAT, loopback, link-local (with the metadata services of clouds).
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "100.64.0.1",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.255",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.255.255",
  // Protocol assignments, documentation, benchmarks, relays, AS112.
  "192.0.0.8",
  "192.0.2.1",
  "192.31.196.1",
  "192.52.193.1",
  "192.88.99.1",
  "192.175.48.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  // Multicast, reserved, broadcast.
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  // The same in IPv6 form: mapped, compatible, translated, 6to4, Teredo.
  "::ffff:127.0.0.1",
  "::ffff:1.1.1.1",
  "::ffff:7f00:1",
  "0:0:0:0:0:ffff:0a00:0001",
  "::127.0.0.1",
  "::ffff:0:127.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b:1::7f00:1",
  "2002:7f00:1::1",
  "2001:0:7f00:1::1",
  // Unspecified, loopback, discard, link-local with and without zone, site-local, unique local, multicast.
  "::",
  "::1",
  "100::1",
  "fe80::1",
  "fe80::1%eth0",
  "2606:4700::1111%eth0",
  "fec0::1",
  "fc00::1",
  "fd00:ec2::254",
  "ff02::1",
  // Documentation, benchmarks, ORCHID, AS112, segment routing, outside of global unicast.
  "2001:db8::1",
  "2001:2::1",
  "2001:20::1",
  "2620:4f:8000::1",
  "3fff::1",
  "5f00::1",
  "4000::1",
  // No addresses, or addresses in a form that only some programs read.
  "",
  "localhost",
  "127.1",
  "2130706433",
  "0x7f000001",
  "0177.0.0.1",
  "1.1.1.1 ",
  "[2606:4700::1111]",
  "1.1.1.1:443"
]

it("addresses of public hosts are public", () => {
  assert.deepStrictEqual(
    hosts.filter((address) => !isPublic(address)),
    []
  )
})

it("addresses of all other networks and other texts are not public", () => {
  assert.deepStrictEqual(
    others.filter((address) => isPublic(address)),
    []
  )
})
