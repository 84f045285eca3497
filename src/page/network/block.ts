import type { WalletData } from "../../client/Client.ts"
import type { KnownNetwork } from "../state/knownNetworks.ts"

/** The newest block of a network; of Sui, the newest checkpoint. */
export interface Block {
  readonly number: number
  /** UNIX time in seconds; undefined if the nodes of the network report it by a further call only. */
  readonly at: number | undefined
}

interface Result {
  readonly number?: unknown
  readonly timestamp?: unknown
  readonly blockHeight?: unknown
  readonly last?: { readonly seqno?: unknown } | null
}

interface NewestCall {
  readonly method: string
  readonly params: object
  readonly numberOf: (result: Result | null | undefined) => unknown
}

/** The call that returns the newest block, by family. */
const calls: Readonly<Record<string, NewestCall>> = {
  evm: { method: "eth_getBlockByNumber", params: ["latest", false], numberOf: (result) => result?.number },
  solana: { method: "getEpochInfo", params: [], numberOf: (result) => result?.blockHeight },
  sui: { method: "sui_getLatestCheckpointSequenceNumber", params: [], numberOf: (result) => result },
  ton: { method: "getMasterchainInfo", params: {}, numberOf: (result) => result?.last?.seqno }
}

const integerOf = (value: unknown): number | undefined => {
  const number = typeof value === "string" && /^(0x[0-9a-f]{1,12}|\d{1,15})$/i.test(value) ? Number(value) : value
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

export const blockTitle = ({ family }: KnownNetwork) => (family === "sui" ? "checkpoint" : "block")

/** True if the page can read the newest block: the network has nodes that report it. */
export const hasBlocks = ({ abilities, family }: KnownNetwork): boolean =>
  Object.hasOwn(calls, family) && abilities.rpc.available

/** Reads the newest block; undefined if the node returns no valid block. */
export const readBlock = async (
  client: WalletData,
  { family, id }: Pick<KnownNetwork, "family" | "id">,
  signal: AbortSignal
): Promise<Block | undefined> => {
  const call = calls[family]
  if (call === undefined) return undefined
  const request = { jsonrpc: "2.0", id: 1, method: call.method, params: call.params } as const
  const { result } = await client.nodes.rpc<{ readonly result?: Result | null }>(id, request, { signal })
  const number = integerOf(call.numberOf(result))
  return number === undefined ? undefined : { number, at: integerOf(result?.timestamp) }
}
