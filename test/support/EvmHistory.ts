import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { EvmFacts } from "../../src/catalogue/evm/EvmFacts.ts"
import { Chain } from "../../src/chains/Chain.ts"
import * as Evm from "../../src/chains/evm/Evm.ts"
import { Explorers } from "../../src/chains/evm/providers/connect.ts"
import type { HistoryQuery } from "../../src/domain/Transaction.ts"
import { TokenRegistry } from "../../src/providers/TokenRegistry.ts"
import * as Memory from "../../src/storage/Memory.ts"
import { Upstreams } from "../../src/upstream/Upstreams.ts"
import { unlimitedSettings } from "./counted.ts"
import { withTexts } from "./gaps.ts"
import { json, type Reply, type SentRequest, simulatedClient } from "./http.ts"

/** An explorer's reply, or its rows, by action. */
export type Lists = Readonly<Record<string, Reply | ReadonlyArray<unknown>>>

const isReply = (list: Lists[string]): list is Reply => Effect.isEffect(list)

/** Simulated explorer. Returns rows in pages, newest first; returns a `Reply` unchanged. */
export const explorer =
  (lists: Lists) =>
  ({ url }: SentRequest): Reply => {
    const query = url.searchParams
    const list = lists[query.get("action") ?? ""] ?? []
    if (isReply(list)) return list
    const size = Number(query.get("offset"))
    const from = (Number(query.get("page")) - 1) * size
    const end = query.has("endblock") ? Number(query.get("endblock")) : Number.POSITIVE_INFINITY
    const rows = (list as ReadonlyArray<{ readonly blockNumber?: string }>)
      .filter(({ blockNumber }) => !blockNumber || Number(blockNumber) <= end)
      .sort((a, b) => Number(b.blockNumber || 1e12) - Number(a.blockNumber || 1e12))
    const page = rows.slice(from, from + size)
    return page.length === 0
      ? json({ status: "0", message: "No transactions found", result: [] })
      : json({ status: "1", message: "OK", result: page })
  }

/** Builds a network over a simulated HTTP client; `environment` sets the URLs of its explorers and nodes. */
export const network = Effect.fnUntraced(function* (
  info: EvmFacts,
  environment: Readonly<Record<string, string>>,
  outside: (request: SentRequest) => Reply,
  tokens: Parameters<typeof TokenRegistry.layerTest>[0] = {}
) {
  const { requests, layer } = simulatedClient(outside)
  const built = Evm.layer(info).pipe(
    Layer.provide(Layer.fresh(Explorers.layer)),
    Layer.provide([
      layer,
      TokenRegistry.layerTest(tokens),
      Layer.fresh(Upstreams.layer),
      Memory.layer(),
      unlimitedSettings(environment)
    ])
  )
  // A background fiber enforces the rate limits: it must outlive the build, so its scope is never closed.
  const made = Context.get(yield* Layer.buildWithScope(built, yield* Scope.make()), Chain)
  const history = yield* Effect.orDie(Effect.fromNullable(made.history))
  return {
    ...made,
    history: (query: HistoryQuery) => Effect.map(history(query), (part) => ({ ...withTexts(part), gaps: part.gaps })),
    requests
  }
})

/** The action of each request to the explorer; `node` for all other requests. */
export const actions = (requests: ReadonlyArray<SentRequest>) =>
  requests.map(({ url }) => url.searchParams.get("action") ?? "node")
