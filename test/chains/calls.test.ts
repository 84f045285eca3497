import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { callsOf } from "../support/counted.ts"
import { settled } from "../support/settled.ts"

/** How often each upstream is called for the holdings of 1, 5 and 50 addresses. */
const expected = {
  ethereum: { "ethereum-rpc": [1, 1, 1] },
  optimism: { "optimism-rpc": [1, 1, 1] },
  bsc: { "bsc-rpc": [1, 1, 1] },
  "ethereum-classic": { "ethereum-classic-rpc": [1, 1, 1] },
  polygon: { "polygon-rpc": [1, 1, 1] },
  // It was shut down.
  zkevm: {},
  sonic: { "sonic-rpc": [1, 1, 1] },
  base: { "base-rpc": [1, 1, 1] },
  arbitrum: { "arbitrum-rpc": [1, 1, 1] },
  avalanche: { "avalanche-rpc": [1, 1, 1] },
  tron: { trongrid: [1, 1, 1] },
  bitcoin: { "bitcoin-esplora": [1, 0, 0], "bitcoin-blockchain-info": [0, 1, 1] },
  bch: { "bch-haskoin": [1, 1, 1] },
  litecoin: { "litecoin-esplora": [1, 5, 50] },
  dogecoin: { "dogecoin-blockbook": [1, 5, 50] },
  cardano: { koios: [3, 2, 12] },
  solana: { "solana-rpc": [1, 1, 5] },
  sui: { "sui-graphql": [1, 1, 3] },
  ton: { toncenter: [2, 2, 2] },
  ripple: { "ripple-rpc": [2, 10, 92] },
  polkadot: { "polkadot-rpc": [1, 1, 1] }
}

it.effect("every network takes as few calls as its upstreams allow for many addresses", () =>
  Effect.gen(function* () {
    const table = yield* callsOf([1, 5, 50], (effect) => settled(effect))
    assert.deepStrictEqual(Object.fromEntries(table), expected)
  })
)
