import * as Either from "effect/Either"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as PolkadotAddress from "../../chains/polkadot/PolkadotAddress.ts"
import * as calls from "../../chains/polkadot/providers/substrate/calls.ts"
import { answeredRpc } from "../world/answers.ts"
import * as JsonRpc from "../world/JsonRpc.ts"
import * as World from "../world/World.ts"
import { refused, type Simulated } from "../world/wire.ts"
import * as PolkadotSent from "./PolkadotSent.ts"
import { blockHash, heightAt, timeOf } from "./PolkadotSent.ts"

type Hex = `0x${string}`

const genesis: Hex = "0x68d56f15f85d3136970ec16946040bc1752654e906147f7e43e9d539d7c3de2f"

const invalid = refused(-32602, "Invalid params")

/** A node of Polkadot Asset Hub, limited to the methods that the service uses. */
export const assetHub = (facts: NetworkFacts, { nonceOf, submit }: PolkadotSent.Extrinsics): Simulated => {
  const storage = (key: unknown, now: number): Hex | null => {
    if (key === timestampNow) return `0x${littleEndian(Math.max(now, 0), 8)}`
    return key === systemNumber
      ? `0x${littleEndian(Math.max(heightAt(now), 0), 4)}`
      : stored(facts, nonceOf, String(key))
  }
  const answers = [
    answeredRpc(calls.submit, ({ now, params: [text] }) => submit(String(text), now)),
    answeredRpc(calls.storageAt, ({ now, params: [keys = []] }) => [
      { block: genesis, changes: keys.map((key) => [key, storage(key, now)] as const) }
    ]),
    answeredRpc(calls.storage, ({ now, params: [key, hash] }) =>
      storage(key, typeof hash === "string" ? timeOf(heightIn(hash)) : now)
    ),
    answeredRpc(calls.runtimeVersion, () => ({
      specName: "statemint",
      implName: "statemint",
      specVersion: chain.specVersion,
      transactionVersion: chain.transactionVersion
    })),
    answeredRpc(calls.finalizedHead, ({ now }) => blockHash(PolkadotSent.heightAt(now))),
    answeredRpc(calls.header, ({ now, params: [given] }) => {
      const hash = given ?? hashAt(undefined, now)
      const height = heightIn(hash)
      return blockHash(height) === hash ? { number: `0x${height.toString(16)}`, digest: { logs: [] } } : undefined
    }),
    answeredRpc(calls.nextIndex, ({ params: [address] }) =>
      Either.mapBoth(PolkadotAddress.parse(String(address)), {
        onLeft: () => invalid,
        onRight: (account) => nonceOf(account, true)
      })
    ),
    answeredRpc(calls.runtimeCall, ({ params: [method, input] }) => {
      if (method === "TransactionPaymentCallApi_query_call_info") return dispatchInfo(String(input))
      return method === "FungiblesApi_query_account_balances"
        ? accountAssets(facts, String(input))
        : Either.left(invalid)
    })
  ]
  // A node also returns the hashes of several blocks.
  const chain_getBlockHash = (params: ReadonlyArray<unknown>, now: number) =>
    Array.isArray(params[0]) ? params[0].map((height) => hashAt(height, now)) : hashAt(params[0], now)
  return JsonRpc.node(
    { ...JsonRpc.methodsOf(answers), chain_getBlockHash },
    { missing: () => refused(-32601, "Method not found"), unreadable: invalid }
  )
}

/** A hash ends with its height. */
const heightIn = (hash: unknown) => Number(`0x${String(hash).slice(-8)}`)

/** SCALE-encoded weight, dispatch class and fee of a transfer; the fee is a base fee plus a fee per byte. */
const dispatchInfo = (call: string): string => {
  const bytes = Number.parseInt((call.slice(-8).match(/../g) ?? []).reverse().join(""), 16)
  return `0x${compact(200_000_000)}${compact(3_593)}00${littleEndian(PolkadotSent.feeOf(bytes), 16)}`
}

/** SCALE-encoded assets of an account, in version 5: DOT and the assets of the pallet 50. */
const accountAssets = (facts: NetworkFacts, account: string): string => {
  const assets = World.contractsOn(facts.platform).flatMap((contract) => {
    const amount = World.tokenBalance(facts, contract, account)
    return amount === 0n ? [] : [`0002043205${compact(Number(contract.address))}00${compact(amount)}`]
  })
  const native = World.native(facts, account)
  const all = native === 0n ? assets : [`010000${compact(native)}`, ...assets]
  return `0x0005${compact(all.length)}${all.join("")}`
}

export const chain: PolkadotSent.SignedChain = {
  genesis,
  specVersion: 2_000_001,
  transactionVersion: 15
}

/** Hash of a block, by default of the newest; null if there is no such block. Heights may be hexadecimal. */
const hashAt = (height: unknown, now: number): string | null => {
  const newest = PolkadotSent.heightAt(now)
  const number = height == null ? newest : Number(height)
  if (number === 0) return genesis
  return number > 0 && number <= newest ? blockHash(number) : null
}

const timestampNow = "0xf0c365c3cf59d671eb72da0e7a4113c49f1f0515f462cdcf84e0f1d6045dfcbb"
const systemNumber = "0x26aa394eea5630e07c48ae0c9558cef702a5c1b19ab7a04f536c519aca4983ac"

type NonceOf = PolkadotSent.Extrinsics["nonceOf"]
type Read = (facts: NetworkFacts, rest: string, nonceOf: NonceOf) => Hex | null
/** Storage items by prefix: the hashed pallet and item names. Each key follows as a hash of 16 bytes and the key. */
const items: ReadonlyArray<readonly [prefix: string, read: Read]> = [
  ["0x26aa394eea5630e07c48ae0c9558cef7a44704b568d21667356a5a050c118746", () => genesis],
  [
    "0x26aa394eea5630e07c48ae0c9558cef7b99d880ec681799c0cf30e8886371da9",
    (facts, rest, nonceOf) => {
      const key = `0x${rest.slice(32)}`
      return account(World.native(facts, key), nonceOf(key))
    }
  ],
  [
    "0x5f3e4907f716ac89b6347d15ececedca422adb579f1dbf4f3886c5cfa3bb8cc4",
    (facts, rest) => stakingLedger(rest.slice(32), World.native(facts, `0x${rest.slice(32)}`) / 3n)
  ],
  [
    "0x682a59d51ab9e48a8c8cc418ff9708d2b99d880ec681799c0cf30e8886371da9",
    (facts, rest) => {
      const contract = contractOf(facts, rest.slice(32, 40))
      return contract === undefined ? null : holder(World.tokenBalance(facts, contract, `0x${rest.slice(72)}`))
    }
  ],
  [
    "0x682a59d51ab9e48a8c8cc418ff9708d2b5f3822e35ca2f31ce3526eab1363fd2",
    (facts, rest) => {
      const contract = contractOf(facts, rest.slice(32, 40))
      return contract === undefined ? null : metadata(contract)
    }
  ]
]

const stored = (facts: NetworkFacts, nonceOf: NonceOf, key: string): Hex | null => {
  const [prefix = "", read = () => null] = items.find(([start]) => key.startsWith(start)) ?? []
  return read(facts, key.slice(prefix.length), nonceOf)
}

const contractOf = (facts: NetworkFacts, id: string) =>
  World.contractsOn(facts.platform).find(({ address }) => littleEndian(Number(address), 4) === id)

/** `System.Account`: a third of the balance is reserved, like staked coins; half of the rest is frozen. */
const account = (total: bigint, nonce: number): Hex | null => {
  if (total === 0n) return null
  const reserved = total / 3n
  const free = total - reserved
  const counters = [nonce, 0, 1, 0].map((value) => littleEndian(value, 4))
  const amounts = [free, reserved, free / 2n, 1n << 127n].map((value) => littleEndian(value, 16))
  return `0x${[...counters, ...amounts].join("")}`
}

/** `Staking.Ledger`: the stash and its total stake; half of the stake is active, the other half is unbonding. */
const stakingLedger = (stash: string, staked: bigint): Hex | null =>
  staked === 0n
    ? null
    : `0x${stash}${compact(staked)}${compact(staked / 2n)}04${compact(staked - staked / 2n)}${compact(2_000n)}`

/** Encodes a SCALE compact integer: from 2^30 with a length byte and eight bytes. */
const compact = (value: number | bigint): string => {
  const four = BigInt(value) << 2n
  if (value < 2 ** 6) return littleEndian(four, 1)
  if (value < 2 ** 14) return littleEndian(four | 1n, 2)
  return value < 2 ** 30 ? littleEndian(four | 2n, 4) : `13${littleEndian(value, 8)}`
}

/** `Assets.Account`: the balance, status liquid, reason sufficient. */
const holder = (balance: bigint): Hex | null => (balance === 0n ? null : `0x${littleEndian(balance, 16)}0001`)

const metadata = ({ coin, decimals }: World.Contract): Hex =>
  `0x${littleEndian(0, 16)}${text(coin.name)}${text(coin.symbol.toUpperCase())}${littleEndian(decimals, 1)}00`

const text = (value: string) => compact(Buffer.byteLength(value)) + Buffer.from(value).toString("hex")

const littleEndian = (value: number | bigint, bytes: number): string =>
  Buffer.from(value.toString(16).padStart(2 * bytes, "0"), "hex")
    .reverse()
    .toString("hex")
