import { avalanche } from "../../../src/catalogue/evm/avalanche.ts"
import { polygon } from "../../../src/catalogue/evm/polygon.ts"
import { ledger } from "../../../src/sandbox/world/ledger.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { body, Service } from "../../support/app.ts"
import { editedSandbox } from "../../support/editedSandbox.ts"
import { Base } from "../../support/networks.ts"
import { assert, layer } from "../../support/vitest.ts"
import { listening, unlimited } from "./busyHistory.ts"
import { areSent } from "./sources.ts"

// The first rows of the lists of a busy address on EVM networks do not count as its use: a page of each list.

const sent = {
  "page of the first internal transfers": /action=txlistinternal&.*&page=2&.*sort=asc/,
  "page of the first tokens": /action=tokentx&.*&page=2&.*sort=asc/,
  "page of the first transactions": "each row counts",
  "page of the first NFTs": "no address of the world has NFTs"
}

/** By the upstream that is unavailable. */
const groups = [
  { without: "", sources: [{ network: polygon, name: "etherscan" }] },
  {
    without: "etherscan",
    sources: [
      { network: Base.info, name: "base-blockscout" },
      { network: avalanche, name: "routescan" }
    ]
  }
] as const

const isTokenFirst = new Set<boolean>()

for (const { sources, without } of groups) {
  const upstreams = editedSandbox((text, { upstream }) => (upstream === without ? "" : text))
  const { layer: service, requests } = listening(unlimited, upstreams)
  layer(service, { excludeTestServices: true })("the first transaction of a busy address", (it) => {
    for (const { name, network } of sources)
      it(`is on a further page of ${name}: ${network.id}`, function* () {
        const { post } = yield* Service
        const address = World.busy(network.id) ?? ""
        const first = ledger(network, address).find(({ kind }) => kind !== "empty")
        const answer = yield* body<unknown>(yield* post("/utils/first-tx", { networkIds: [network.id], address }))
        assert.deepStrictEqual(answer, { [network.id]: { timestamp: first?.at } })
        areSent(requests, name, sent)
        isTokenFirst.add(first?.contract !== undefined)
      })

    if (without === "etherscan")
      it("is of a token on some networks, of coins on others", () => {
        assert.deepStrictEqual([...isTokenFirst].sort(), [false, true])
      })
  })
}
