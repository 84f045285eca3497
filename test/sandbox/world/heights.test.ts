import * as Effect from "effect/Effect"
import { polkadot } from "../../../src/sandbox/polkadot/polkadot.ts"
import { tron } from "../../../src/sandbox/tron/tron.ts"
import { utxo } from "../../../src/sandbox/utxo/utxo.ts"
import type { Simulated } from "../../../src/sandbox/world/wire.ts"
import { samples } from "../../chains/families/samples.ts"
import { Bitcoin, Polkadot, Tron } from "../../support/networks.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const now = 1_790_000_000_000

type Upstreams = ReadonlyArray<readonly [name: string, upstream: Simulated]>

const calling = (upstreams: Upstreams) => (name: string, path: string, body: unknown) =>
  Effect.gen(function* () {
    const upstream = new Map<string, Simulated>(upstreams).get(name)
    if (upstream === undefined) return yield* Effect.dieMessage(name)
    const response = upstream({ method: "POST", path, query: new URLSearchParams(), body: JSON.stringify(body), now })
    return JSON.parse(yield* Effect.promise(() => response.text()))
  })

/** Checks that the height of each row fits its time, given the newest block and the block time in seconds. */
const assertBelow = (
  newest: number,
  blockTime: number,
  rows: ReadonlyArray<{ readonly height: number; readonly at: number }>
) => {
  assert.isNotEmpty(rows)
  for (const { at, height } of rows) {
    assert.isAbove(height, 0)
    assert.approximately(height, newest - (now / 1000 - at) / blockTime, 2)
  }
}

describe("the blocks of a simulated network", () => {
  it("have consistent heights in the node and its lists: tron", function* () {
    const call = calling(tron(Tron.info))
    const { block_header } = yield* call("trongrid", "/wallet/getblock", {})
    const rows: Array<{ readonly height: number; readonly at: number }> = []
    // Internal transfers have no block number.
    for (const address of samples(Tron.info, 5))
      for (const row of (yield* call("trongrid", `/v1/accounts/${address}/transactions`, {})).data)
        if (row.blockNumber !== undefined) rows.push({ height: row.blockNumber, at: row.block_timestamp / 1000 })
    assertBelow(block_header.raw_data.number, 3, rows)
  })

  it("have consistent heights in the node and its indexers, and unique extrinsic indexes: polkadot", function* () {
    const call = calling(polkadot(Polkadot.info))
    const { result: head } = yield* call(`${Polkadot.info.id}-rpc`, "/", { id: 1, method: "chain_getFinalizedHead" })
    const rows: Array<{ readonly height: number; readonly at: number }> = []
    let relayed = 0
    for (const address of samples(Polkadot.info, 5)) {
      const { data } = yield* call("subscan", "/api/v2/scan/transfers", { address, row: 100, page: 0 })
      const old = yield* call("subscan-relay", "/api/v2/scan/transfers", { address, row: 100, page: 0 })
      for (const row of old.data.transfers ?? []) {
        assert.isBelow(row.block_num, 28_490_502)
        assert.approximately(row.block_num, 28_490_502 - (Date.UTC(2025, 10, 4, 8) / 1000 - row.block_timestamp) / 6, 2)
      }
      relayed += old.data.count
      const transfers = data.transfers ?? []
      assert.lengthOf(
        new Set(transfers.map((row: { readonly extrinsic_index: string }) => row.extrinsic_index)),
        transfers.length
      )
      for (const row of transfers) rows.push({ height: row.block_num, at: row.block_timestamp })
    }
    assertBelow(Number(`0x${head.slice(-8)}`), 6, rows)
    assert.isAbove(relayed, 0)
  })

  it("have the same newest height in the node and its indexers: bitcoin", function* () {
    const call = calling(utxo(Bitcoin.info))
    const { result } = yield* call("bitcoin-rpc", "/", { id: 1, method: "getblockcount", params: [] })
    assert.strictEqual(result, yield* call("bitcoin-esplora", "/blocks/tip/height", {}))
  })
})
