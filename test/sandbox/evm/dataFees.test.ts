import * as Effect from "effect/Effect"
import type { HistoryEntry } from "../../../src/contract/HistoryApi.ts"
import { body, Service } from "../../support/app.ts"
import { editedSandbox } from "../../support/editedSandbox.ts"
import { holders } from "../../support/sandbox.ts"
import { networks } from "../../support/tier.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const rollups = networks.flatMap(({ id, ...facts }) => ("dataFee" in facts ? [id] : []))

/** The own transactions of some holders with their fees, from a service whose nodes' answers are edited. */
const ownFees = (network: string, explorer: string, edit: (text: string) => string) =>
  Effect.gen(function* () {
    const { post } = yield* Service
    const response = yield* post("/history", { networks: { [network]: holders(4) }, limit: 100 })
    const all = yield* body<Record<string, Record<string, ReadonlyArray<HistoryEntry>>>>(response)
    return Object.entries(all[network] ?? {}).flatMap(([holder, entries]) =>
      entries.flatMap(({ fee, from }) => (from.some(({ address }) => address === holder) ? [BigInt(fee ?? -1)] : []))
    )
  }).pipe(
    Effect.provide(
      Service.layer(
        {},
        editedSandbox((text, { upstream }) =>
          upstream === `${network}-rpc`
            ? edit(text)
            : upstream === "etherscan" && explorer !== upstream
              ? refusal
              : text
        )
      )
    )
  )

const refusal = JSON.stringify({ status: "0", message: "NOTOK", result: "Missing/Invalid API Key" })

const unchanged = (text: string) => text
const sum = (fees: ReadonlyArray<bigint>) => fees.reduce((all, fee) => all + fee, 0n)
const more = 10n ** 15n

/** Every data fee, higher by 0.001 ETH. */
const dearer = (text: string) =>
  text.replace(/"l1Fee":"(0x[0-9a-f]+)"/g, (_, fee: string) => `"l1Fee":"0x${(BigInt(fee) + more).toString(16)}"`)

describe("the data fees of the sandbox", () => {
  for (const explorer of ["etherscan", "blockscout"])
    for (const network of rollups)
      it.live(`are a part of every fee that a history reports: ${network}, ${explorer}`, function* () {
        const fees = yield* ownFees(network, explorer, unchanged)
        assert.isAbove(fees.length, 10)
        assert.isTrue(fees.every((fee) => fee > 0n))
        const higher = yield* ownFees(network, explorer, dearer)
        assert.strictEqual(sum(higher) - sum(fees), more * BigInt(fees.length))
        // Without the member, the fee is unknown: no list has it.
        const without = yield* ownFees(network, explorer, (text) => text.replaceAll('"l1Fee"', '"l1"'))
        assert.deepStrictEqual(
          without,
          fees.map(() => -1n)
        )
      })
})
