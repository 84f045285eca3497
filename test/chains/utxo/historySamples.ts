import { Bch, Bitcoin, Dogecoin, Litecoin } from "../../support/networks.ts"
import { accountOf, addressOf, legacyOf } from "./made.ts"

// Addresses of the sample histories in test/fixtures.

export const b = (byte: number) => addressOf(Bitcoin.info, byte)
export const old = (byte: number) => legacyOf(Bitcoin.info, byte)
export const nested = (byte: number) => addressOf(Bitcoin.info, byte, "scriptHash")
export const bch = (byte: number) => addressOf(Bch.info, byte)
export const doge = (byte: number) => addressOf(Dogecoin.info, byte)
export const [bchScript, dogeScript] = [Bch, Dogecoin].map(({ info }) => addressOf(info, 1, "scriptHash")) as [
  string,
  string
]
export const ltc = (byte: number) => addressOf(Litecoin.info, byte)
export const account = accountOf(Litecoin.info, "zpub", 1)

/** `b1` is the address of Bitcoin whose hash is the byte 1, and so on. */
export const names = new Map([
  ...Object.entries({ b, old, nested, bch, doge, ltc }).flatMap(([name, of]) =>
    Array.from({ length: 9 }, (_, index) => [of(index + 1), `${name}${index + 1}`] as const)
  ),
  ...Object.entries({ bchScript, dogeScript, account }).map(([name, address]) => [address, name] as const)
])
