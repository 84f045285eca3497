import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { formatEther, parseEther } from "viem/utils"
import * as declare from "../../settings/declare.ts"
import { Settings } from "../../settings/Settings.ts"

/** Decimals of the native coin of any EVM chain. */
const positive = /^(?=.*[1-9])\d{1,30}(\.\d{1,18})?$/

/** The order of secp256k1: keys are the whole numbers below it. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const isKey = (text: string) => {
  if (!/^(0x)?[0-9a-fA-F]{64}$/.test(text)) return false
  const value = BigInt(`0x${text.replace(/^0x/, "")}`)
  return value > 0n && value < order
}

const key = declare.secret({
  name: "TESTNET_FUNDER_PRIVATE_KEY",
  allowed: "a private key: 64 hexadecimal digits, with or without 0x",
  meaning: "Private key of the account that funds others on the operator's test network",
  check: isKey
})

const url = declare.url({
  name: "TESTNET_RPC_URL",
  default: "",
  meaning: "JSON-RPC node of the operator's own EVM test network; without it no account is funded"
})

/** In base units. */
const amount = Effect.flatMap(Settings, (settings) =>
  settings.read<bigint>({
    name: "TESTNET_FUND_AMOUNT",
    meaning: "How much an account gets on the test network, in whole native coins",
    allowed: "a decimal number above 0 with at most 18 decimals, such as 0.5",
    default: parseEther("1"),
    show: (wei) => formatEther(wei),
    parse: (text) =>
      positive.test(text) ? Either.right(parseEther(text)) : Either.left(`"${text.slice(0, 60)}" is not allowed`)
  })
)

const interval = declare.integer({
  name: "TESTNET_FUND_INTERVAL_MS",
  default: 86_400_000,
  min: 1,
  max: 31_536_000_000,
  meaning: "An address is funded once in this time on the test network, in milliseconds"
})

/** The variables of the faucet. The key is in the form of viem. */
export const settings = Effect.map(Effect.all({ amount, interval, key, url }), ({ key, ...others }) => ({
  ...others,
  key:
    key === undefined ? undefined : Redacted.make(`0x${Redacted.value(key).replace(/^0x/, "").toLowerCase()}` as const)
}))
