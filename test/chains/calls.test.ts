import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import { callsOf } from "../support/counted.ts"
import { settled } from "../support/settled.ts"
import { assert, it } from "../support/vitest.ts"

/** An EVM network takes one call; a network that was shut down takes none. */
const evm = Object.fromEntries(
  Catalogue.all.flatMap(({ family, id, sunset }) =>
    family === "evm" ? [[id, sunset === undefined ? { [`${id}-rpc`]: [1, 1, 1] } : {}] as const] : []
  )
)

/** Number of calls to each upstream for the holdings of 1, 5 and 50 addresses. */
const expected = {
  ...evm,
  tron: { trongrid: [1, 1, 1] },
  bitcoin: { "bitcoin-esplora": [1, 0, 0], "bitcoin-blockchain-info": [0, 1, 1] },
  bch: { "bch-haskoin": [1, 1, 1] },
  litecoin: { "litecoin-esplora": [1, 5, 50] },
  dogecoin: { "dogecoin-blockbook": [1, 5, 50] },
  // Addresses without a row are requested once more.
  cardano: { koios: [3, 3, 13] },
  // The mint of each token is read once, and so is the metadata of each coin of Sui.
  solana: { "solana-rpc": [2, 2, 5] },
  sui: { "sui-graphql": [1, 2, 3] },
  // Whether a jetton has a multiplier is read once.
  ton: { toncenter: [1, 1, 1], tonapi: [1, 2, 1] },
  ripple: { "ripple-rpc": [2, 10, 100] },
  polkadot: { "polkadot-rpc": [1, 1, 1] }
}

it("every network makes the fewest calls that its upstreams allow for many addresses", function* () {
  const table = yield* callsOf([1, 5, 50], (effect) => settled(effect))
  assert.deepStrictEqual(Object.fromEntries(table), expected)
})
