import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { arbitrum } from "../../../src/catalogue/evm/arbitrum.ts"
import { base } from "../../../src/catalogue/evm/base.ts"
import type { EvmFacts } from "../../../src/catalogue/evm/EvmFacts.ts"
import { begin, explorer, found, row as listed, node } from "../../support/firstTransactions.ts"
import { type Exchange, replay, sample } from "../../support/fixtures.ts"
import { type Row, row } from "../table.ts"

const first = (info: EvmFacts, host: string, of: (action: string) => Exchange, holder?: string) =>
  Effect.map(
    found(
      info,
      { [host]: ({ url }) => replay(of(url.searchParams.get("action") ?? "")), "node.test": node({}) },
      host === "etherscan.test" ? { ETHERSCAN_API_KEY: "k" } : {},
      holder?.toLowerCase()
    ),
    (outcome) => Option.getOrUndefined(Either.getOrThrow(outcome))
  )

const shows = "the first transaction"

/** The time of the first transaction at an explorer whose lists are the recordings, by action; other lists are empty. */
export const firstAt = (info: EvmFacts, host: string, at?: number, uncertainty?: string): Row =>
  row(
    (...recordings) =>
      first(
        info,
        host,
        (action) =>
          recordings.find(({ request: { query } }) => query.action === action) ?? sample("etherscan", "txlist-none"),
        recordings[0]?.request.query.address
      ),
    at === undefined ? undefined : { at, ...(uncertainty === undefined ? {} : { uncertainty }) },
    shows
  )

/** No first transaction: the recording is the response to every action. */
export const firstNever = (info: EvmFacts, host: string): Row =>
  row((recording) => first(info, host, () => recording), undefined, shows)

/** The recording is no empty list: it fails, and the next explorer is used. */
export const notFirst = row(
  (recording) =>
    Effect.gen(function* () {
      const hosts = { "etherscan.test": () => replay(recording) }
      const alone = yield* found(arbitrum, hosts, { ETHERSCAN_API_KEY: "k", ARBITRUM_BLOCKSCOUT_URL: "" })
      const both = { ...hosts, "blockscout.test": explorer({ txlist: [listed(4)] }) }
      const { at } = Option.getOrThrow(Either.getOrThrow(yield* found(base, both, { ETHERSCAN_API_KEY: "k" })))
      return [Either.isLeft(alone), Number(at) - begin]
    }),
  [true, 4],
  "never counts as an empty list of first transactions"
)
