import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Api } from "./contract/Api.ts"
import * as AddressHandlers from "./features/addresses/handlers.ts"
import * as BalanceHandlers from "./features/balances/handlers.ts"
import * as BlockHandlers from "./features/blocks/handlers.ts"
import { lookingUp } from "./features/byHash/handlers.ts"
import * as ChartHandlers from "./features/charts/handlers.ts"
import { decoding } from "./features/decoding/handlers.ts"
import { estimating } from "./features/estimate/handlers.ts"
import * as FaucetHandlers from "./features/faucet/handlers.ts"
import * as FeeHandlers from "./features/fees/handlers.ts"
import * as HistoryHandlers from "./features/history/handlers.ts"
import * as IconHandlers from "./features/icons/handlers.ts"
import * as NodeHandlers from "./features/nodes/handlers.ts"
import * as PortfolioHandlers from "./features/portfolio/handlers.ts"
import * as PriceHandlers from "./features/prices/handlers.ts"
import { checkingRecipient } from "./features/recipient/handlers.ts"
import { replacing } from "./features/replacement/handlers.ts"
import { sending } from "./features/sending/handlers.ts"
import { simulating } from "./features/simulation/handlers.ts"
import * as StatusHandlers from "./features/status/handlers.ts"
import * as TokenHandlers from "./features/token/handlers.ts"
import * as TokensHandlers from "./features/tokens/handlers.ts"
import { statuses } from "./features/transactionStatus/handlers.ts"
import { context, findingRaw, firstTransaction, sendingRaw } from "./features/transactions/handlers.ts"

/** Routes of several features, under one name. */
export const transactions = HttpApiBuilder.group(Api, "transactions", (handlers) =>
  Effect.gen(function* () {
    return handlers
      .handleRaw("sendRaw", yield* sendingRaw)
      .handleRaw("getRaw", yield* findingRaw)
      .handle("first", yield* firstTransaction)
      .handle("context", yield* context)
      .handle("status", yield* statuses)
      .handle("byHash", yield* lookingUp)
      .handle("send", yield* sending)
      .handle("decode", yield* decoding)
      .handle("replacement", yield* replacing)
      .handle("estimate", yield* estimating)
      .handle("checkRecipient", yield* checkingRecipient)
      .handle("simulate", yield* simulating)
  })
)

/** The handlers of every group of routes. */
export const handlers = Layer.mergeAll(
  BalanceHandlers.layer,
  HistoryHandlers.layer,
  PortfolioHandlers.layer,
  PriceHandlers.layer,
  ChartHandlers.layer,
  NodeHandlers.layer,
  transactions,
  FeeHandlers.layer,
  BlockHandlers.layer,
  FaucetHandlers.layer,
  AddressHandlers.layer,
  IconHandlers.layer,
  TokenHandlers.layer,
  TokensHandlers.layer,
  StatusHandlers.layer
)
