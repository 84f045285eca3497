import type { SimulatedHost } from "./EvmNodes.ts"
import * as EvmNodes from "./EvmNodes.ts"

/** The first block of Polkadot Asset Hub. */
export const genesis = "0x68d56f15f85d3136970ec16946040bc1752654e906147f7e43e9d539d7c3de2f"

/** System.BlockHash(0). */
const genesisKey = "0x26aa394eea5630e07c48ae0c9558cef7a44704b568d21667356a5a050c118746b4def25cfda6ef3a00000000"

/** Timestamp.Now. */
const timestampKey = "0xf0c365c3cf59d671eb72da0e7a4113c49f1f0515f462cdcf84e0f1d6045dfcbb"

/** A node with these storage values, which accepts many keys per call. */
export const node = (storage: Readonly<Record<string, string>>, first: string = genesis): SimulatedHost =>
  EvmNodes.rpcNode(({ method, params }) => {
    if (method !== "state_queryStorageAt") return EvmNodes.error("Method not found", -32601)
    const [keys] = params as ReadonlyArray<ReadonlyArray<string>>
    const values: Readonly<Record<string, string>> = {
      [genesisKey]: first,
      [timestampKey]: `0x${le(0n, 8)}`,
      ...storage
    }
    return EvmNodes.result([{ block: first, changes: (keys ?? []).map((key) => [key, values[key] ?? null]) }])
  })

/** The System.Account of 80 bytes. */
export const account = (free: bigint, reserved = 0n, frozen = 0n): string =>
  `0x${"01000000".repeat(4)}${[free, reserved, frozen, 1n << 127n].map((value) => le(value, 16)).join("")}`

/** The Assets.Account of a sufficient asset. */
export const holder = (balance: bigint): string => `0x${le(balance, 16)}0001`

export const metadata = (name: string, symbol: string, decimals: number): string =>
  `0x${le(0n, 16)}${[name, symbol].map(text).join("")}${le(BigInt(decimals), 1)}00`

const text = (value: string) => le(BigInt(Buffer.from(value).length) << 2n, 1) + Buffer.from(value).toString("hex")

export const le = (value: bigint, bytes: number): string =>
  Buffer.from(value.toString(16).padStart(2 * bytes, "0"), "hex")
    .reverse()
    .toString("hex")
