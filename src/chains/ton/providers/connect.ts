import * as Effect from "effect/Effect"
import * as TonApi from "./tonapi/TonApi.ts"
import * as Toncenter from "./toncenter/Toncenter.ts"

/** TON Center, which answers about many addresses in a call, and TonAPI. Neither needs a key. */
export const connect = Effect.gen(function* () {
  const toncenter = yield* Toncenter.make
  return { providers: [toncenter, yield* TonApi.make] as const, toncenter: toncenter.upstream }
})
