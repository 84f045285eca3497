import { assert, describe, it } from "@effect/vitest"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"

const words = (text: string) => text.split(" ")

describe("the lists that are derived from the catalogue", () => {
  it("contain every network that the documented API lists", () => {
    assert.includeMembers([...Catalogue.pricedChains], [1, 10, 56, 61, 137, 1101, 146, 8453, 42161, 43114, 728126428])
    assert.includeMembers(
      [...Catalogue.proxied],
      words("ethereum optimism bsc avalanche polygon arbitrum base solana sui ton")
    )
    assert.includeMembers(
      [...Catalogue.proxiedTestnets],
      words("optimism bsc avalanche polygon arbitrum base solana ton")
    )
    assert.includeMembers([...Catalogue.rawSendNetworks], words("dogecoin bitcoin litecoin cardano bch"))
    assert.includeMembers([...Catalogue.rawLookupNetworks], words("dogecoin bitcoin litecoin cardano bch ton"))
    // Our additions come after the networks of the documented API.
    for (const ids of [Catalogue.rawSendNetworks, Catalogue.rawLookupNetworks])
      assert.deepStrictEqual(ids.slice(-3), words("tron ripple polkadot"))
    assert.includeMembers(
      [...Catalogue.firstTransactions],
      words("arbitrum avalanche base bsc ethereum optimism polygon zkevm")
    )
    assert.includeMembers([...Catalogue.simulated], words("1 137 10 56 8453 43114 42161"))
  })

  it("leave out networks that the documented API leaves out", () => {
    for (const id of words("tron bitcoin cardano ripple polkadot zkevm sonic ethereum-classic"))
      assert.notInclude(Catalogue.proxied, id)
    for (const id of words("ethereum sui")) assert.notInclude(Catalogue.proxiedTestnets, id)
    for (const id of words("sonic ethereum-classic tron")) assert.notInclude(Catalogue.firstTransactions, id)
    assert.notInclude(Catalogue.rawSendNetworks, "ton")
  })

  it("agree with the facts of test networks: a different chain id, and nodes without a key", () => {
    const chainIds = Catalogue.all.flatMap(({ chainId, proxy }) =>
      [chainId ?? [], proxy?.testnet?.chainId ?? []].flat()
    )
    assert.strictEqual(new Set(chainIds).size, chainIds.length)
    for (const { id, proxy } of Catalogue.all)
      if (proxy?.testnet !== undefined) assert.isNotEmpty(proxy.testnet.nodes, id)
  })
})
