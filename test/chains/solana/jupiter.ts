import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { CoinId } from "../../../src/domain/CoinId.ts"
import * as Multiplier from "../../../src/domain/Multiplier.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import type { Exchange } from "../../support/fixtures.ts"
import { settled } from "../../support/settled.ts"
import { assert } from "../../support/vitest.ts"
import { built } from "./nodes.ts"

export const address = "XsoCS1TfEyfFhfvj8EtZ528L3CaKBDBRqRapnBbDF2W"
export const coinId = CoinId.make("sp500-xstock")
export const multiplier = "1.005714560286254"

interface JupiterRow {
  readonly usdPrice: number
  readonly blockId: number
  readonly priceChange24h: number
  readonly scaledUiConfig: { readonly usdPricePrescaled: number }
}

export const rowIn = ({ response: { body } }: Exchange): JupiterRow =>
  (body as Readonly<Record<string, JupiterRow>>)[address] ?? assert.fail("no row")

export const start = 1_789_000_000_000

/** Node whose newest slot is this number of slots after that of the price. */
export const nodeAfter = (slots: number, { blockId }: JupiterRow) =>
  EvmNodes.rpcNode((_, now) =>
    EvmNodes.result({
      context: { slot: blockId + slots },
      value: { data: { parsed: { info: { unixTimestamp: now / 1000 } } } }
    })
  )

export const pricesFrom = Effect.fnUntraced(function* (jupiter: EvmNodes.SimulatedHost, node: EvmNodes.SimulatedHost) {
  yield* TestClock.setTime(start)
  const requested: Array<number> = []
  const { layer } = EvmNodes.clientOver({
    "jupiter.test": (body, request) => {
      requested.push(request.url.searchParams.get("ids")?.split(",").length ?? 0)
      return jupiter(body, request)
    },
    "solana.test": node
  })
  const environment = { JUPITER_URL: "http://jupiter.test", SOLANA_RPC_URLS: "http://solana.test" }
  const { chain } = yield* built(layer, [], environment)
  const { displayedPrices = () => Effect.dieMessage("no prices") } = chain
  const tokenBy = (text: string, mint = address) => ({
    address: mint,
    coinId,
    multiplier: Option.getOrThrow(Multiplier.fromDecimal(text))
  })
  /** The number of mints in each request since the last call. */
  const calls = () => requested.splice(0)
  return {
    of: (...tokens: ReadonlyArray<ReturnType<typeof tokenBy>>) => settled(displayedPrices(tokens)),
    tokenBy,
    calls
  }
})

export const json = (body: unknown, status = 200) => EvmNodes.always(JSON.stringify(body), { status })
