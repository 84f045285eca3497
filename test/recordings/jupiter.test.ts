import * as Effect from "effect/Effect"
import { address, json, multiplier, nodeAfter, pricesFrom, rowIn } from "../chains/solana/jupiter.ts"
import { type Read, recordingsOf, row } from "./table.ts"

/** The dollars of a displayed unit, by the multiplier of the mint. */
const price: Read = (recording) =>
  Effect.gen(function* () {
    const { of, tokenBy } = yield* pricesFrom(json(recording.response.body), nodeAfter(100, rowIn(recording)))
    return (yield* of(tokenBy(multiplier))).get(address)?.usd
  })

recordingsOf("jupiter", {
  samples: { "price-v3": row(price, 756.8940360593763) },
  recorded: { "price-v3-spyx-scaled": row(price, 756.8940360593763) }
})
