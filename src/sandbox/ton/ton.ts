import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import type { Simulated } from "../world/wire.ts"
import * as TonHistory from "./TonHistory.ts"
import { tonapi } from "./tonapi.ts"
import { tonCenter } from "./tonCenter.ts"
import { toncenterIndex } from "./toncenterIndex.ts"
import { wallets } from "./tonWallets.ts"

/** Indexers of TON, limited to the endpoints that the service uses, and the test network's node, without jettons. */
export const ton = (facts: NetworkFacts): ReadonlyArray<readonly [name: string, upstream: Simulated]> => {
  const { platform: _, ...bare } = facts
  const testnet = tonCenter({ ...bare, id: NetworkId.make(`${facts.id}-testnet`) })
  const own = wallets(facts)
  const known = TonHistory.make(facts, own.senderOf)
  const [nodes, indexer] = [tonCenter(facts, own), toncenterIndex(facts, known, own)]
  return [
    ["toncenter", (request) => (request.path.includes("/api/v3/") ? indexer(request) : nodes(request))],
    ["tonapi", tonapi(facts, known, own)],
    [`${facts.id}-testnet-rpc`, testnet]
  ]
}
