import * as Option from "effect/Option"
import type { Delegate } from "../../domain/AddressForm.ts"

// EIP-7702 (eips.ethereum.org/EIPS/eip-7702): the code of an account that delegates to a contract is 0xef0100 and the
// contract's address. The account remains one of a key; the contract takes part in every call to it.

/** Contracts of wallets, by their names. Most have one address on all networks. */
const wallets: Readonly<Record<string, ReadonlyArray<string>>> = {
  Alchemy: ["0x69007702764179f14f51cdce752f4f775d74e139"],
  Ambire: ["0x5a7fc11397e9a8ad41bf10bf13f22b0a63f96f6d"],
  Biconomy: ["0x000000004f43c49e93c970e84001853a70923b03", "0x00000000383e8cbe298514674ea60ee1d1de50ac"],
  Bitget: ["0x4428a93b478fa76a5bd9c7641f54ec6373855433", "0xa845c74344fc9405b1fcf712f04668979573c1bf"],
  Coinbase: ["0x7702cb554e6bfb442cb743a7df23154544a7176c"],
  Fireblocks: ["0x0000fb7702036ff9f76044a501ac1aa74cbab16b"],
  Gelato: ["0x5af42746a8af42d8a4708df238c53f1f71abf0e0"],
  MetaMask: ["0x63c0c19a282a1b52b07dd5a65b58948a07dae32b"],
  OKX: ["0x80296ff8d1ed46f8e3c7992664d13b833504c2bb", "0xe40ccb2d94975c51bff0c004efdfd9b3a5796fa4"],
  Otim: ["0x23e5f9c457a69ce776d20a8fe812a6701d66fce8"],
  Porto: [
    "0x664ab8c20b629422f5398e58ff8989e68b26a4e6",
    "0x8c0466a6c046395c8999227b288883cf7dc9f5de",
    "0xb292da8879c26ecd558bbea87f581cdd608ffc3c",
    "0x5874f358359ee96d2b3520409018f1a6f59a2cdc"
  ],
  Rainbow: ["0x612373d7003d694220f7800eeaf8e3924c0951d3"],
  SafePal: ["0xb15bed8fc30d3e82672bf7cd75417b414983934b"],
  "Simple7702 of the Ethereum Foundation": [
    "0xe6cae83bde06e4c305530e199d7217f42808555b",
    "0x4cd241e8d1510e30b2076397afc7508ae59c66c9"
  ],
  thirdweb: ["0xbac7e770af15d130cd72838ff386f14fbf3e9a3d"],
  TokenPocket: ["0xcc0c946eecf01a4bc76bc333ea74ceb04756f17b"],
  "Trust Wallet": ["0xd2e28229f6f2c235e57de2ebc727025a1d0530fb"],
  "Uniswap Calibur": [
    "0x000000009b1d0af20d8c6d0a44e162d11f9b8f00",
    "0x000000005c84f8fd50b21cac312528a64437030e",
    "0x0c338ca25585035142a9a0a1eeeba267256f281f",
    "0x458f5a9f47a01bea5d7a32662660559d9ed3312c"
  ],
  WhiteBIT: ["0xcda3577ca7ef65f6b7201e9bd80375f5628d15f7", "0x79cf9e04ad9aeb210768c22c228673aed6cd24c4"],
  ZeroDev: ["0xd6ceddde84be40893d153be9d467cd6ad37875b28"]
}

/** Contracts that send on at once whatever their accounts get: the keys of these accounts are stolen. */
const sweepers = [
  "0x930fcc37d6042c79211ee18a02857cb1fd7f0d0b",
  "0x710fad1041f0ee79916bb1a6adef662303bb8b6e",
  "0x89383882fc2d0cd4d7952a3267a3b6dae967e704"
]

/** The name of a contract that takes what its accounts get. */
const sweeper = "sweeper"

const names = new Map([
  ...Object.entries(wallets).flatMap(([name, addresses]) => addresses.map((address) => [address, name] as const)),
  ...sweepers.map((address) => [address, sweeper] as const)
])

/** The delegate in the code of an account: none if it delegates to no contract, and also if it is a contract. */
export const delegateIn = (code: string): Option.Option<Delegate> => {
  const [, digits] = /^0xef0100([0-9a-f]{40})$/i.exec(code) ?? []
  if (digits === undefined || /^0+$/.test(digits)) return Option.none()
  const address = `0x${digits.toLowerCase()}`
  return Option.some({ address, name: names.get(address) ?? null })
}
