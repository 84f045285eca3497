import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as BlockfrostUnspent from "../../../../../src/chains/cardano/providers/blockfrost/BlockfrostUnspent.ts"
import { settled } from "../../../../support/settled.ts"
import { assert, describe, it } from "../../../../support/vitest.ts"

describe("outputs with reference scripts from Blockfrost", () => {
  it("are returned without the size of a script that is not read in time", function* () {
    const hash = "ab".repeat(28)
    const row = {
      tx_hash: "cd".repeat(32),
      output_index: 0,
      address: "addr1v9ywm0h3r8cnxrs04gfy7c3s2j44utjyvn5ldjdca0c2ltccgqdes",
      amount: [{ unit: "lovelace", quantity: "3000000" }],
      reference_script_hash: hash
    }
    const unspent = yield* BlockfrostUnspent.make(
      () => Effect.never,
      ({ response }) =>
        Effect.map(Effect.orDie(Schema.decodeUnknown(response)([row])), (rows) => ({ rows, more: false }))
    )
    const { outputs } = yield* settled(unspent(row.address))
    assert.deepInclude(outputs[0], { lovelace: "3000000", referenceScript: hash, referenceScriptSize: null })
  })
})
