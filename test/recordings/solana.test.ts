import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { refusals } from "../../src/chains/solana/refusals.ts"
import { key, network, replaying } from "../chains/solana/nodes.ts"
import { settled } from "../support/settled.ts"
import { coded, meaning } from "./readers/refusals.ts"
import { type Read, recordingsOf, row } from "./table.ts"

/** The lamports of an address. */
const coins: Read = (recording) =>
  Effect.gen(function* () {
    const { holding } = yield* network(replaying(recording), [])
    const { amount, asset } = yield* settled(holding(key(61), Option.none()))
    return [asset, Either.getOrThrow(amount)]
  })

recordingsOf("solana", {
  samples: { balance: row(coins, ["native", 905_120_044n]) },
  recorded: {
    getbalance: row(coins, ["native", 1_366_309_311n]),
    "sendtransaction-simulation-failed": row(meaning(refusals, coded), "invalid")
  }
})
