import type { WalletData } from "../../client/Client.ts"
import type { KnownNetwork } from "../state/knownNetworks.ts"

/** The newest block of a network. */
export interface Block {
  readonly number: number
  /** UNIX time in seconds. */
  readonly at: number
}

const hexNumber = (value: unknown): number | undefined =>
  typeof value === "string" && /^0x[0-9a-f]{1,12}$/i.test(value) ? Number(value) : undefined

/** True if the page can read the newest block: the network has nodes, and they speak the protocol of Ethereum. */
export const hasBlocks = ({ abilities, chainId }: KnownNetwork): boolean => chainId !== null && abilities.rpc.available

/** Reads the newest block; undefined if the node returns no valid block. */
export const readBlock = async (
  client: WalletData,
  network: string,
  signal: AbortSignal
): Promise<Block | undefined> => {
  const request = { jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["latest", false] } as const
  const { result } = await client.nodes.rpc<{ readonly result?: Readonly<Record<string, unknown>> | null }>(
    network,
    request,
    { signal }
  )
  const [number, at] = [hexNumber(result?.number), hexNumber(result?.timestamp)]
  return number === undefined || at === undefined ? undefined : { number, at }
}
