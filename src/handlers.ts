import * as Layer from "effect/Layer"
import * as AddressHandlers from "./features/addresses/handlers.ts"
import * as BalanceHandlers from "./features/balances/handlers.ts"
import * as BlockHandlers from "./features/blocks/handlers.ts"
import * as ChartHandlers from "./features/charts/handlers.ts"
import * as EstimateHandlers from "./features/estimate/handlers.ts"
import * as FaucetHandlers from "./features/faucet/handlers.ts"
import * as FeeHandlers from "./features/fees/handlers.ts"
import * as HistoryHandlers from "./features/history/handlers.ts"
import * as IconHandlers from "./features/icons/handlers.ts"
import * as NodeHandlers from "./features/nodes/handlers.ts"
import * as PortfolioHandlers from "./features/portfolio/handlers.ts"
import * as PriceHandlers from "./features/prices/handlers.ts"
import * as ReplacementHandlers from "./features/replacement/handlers.ts"
import * as SendingHandlers from "./features/sending/handlers.ts"
import * as SimulationHandlers from "./features/simulation/handlers.ts"
import * as StatusHandlers from "./features/status/handlers.ts"
import * as TransactionStatusHandlers from "./features/transactionStatus/handlers.ts"
import * as TransactionHandlers from "./features/transactions/handlers.ts"

/** The handlers of every group of routes. */
export const handlers = Layer.mergeAll(
  BalanceHandlers.layer,
  HistoryHandlers.layer,
  PortfolioHandlers.layer,
  PriceHandlers.layer,
  ChartHandlers.layer,
  NodeHandlers.layer,
  TransactionHandlers.layer,
  TransactionStatusHandlers.layer,
  SendingHandlers.layer,
  ReplacementHandlers.layer,
  EstimateHandlers.layer,
  FeeHandlers.layer,
  BlockHandlers.layer,
  SimulationHandlers.layer,
  FaucetHandlers.layer,
  AddressHandlers.layer,
  IconHandlers.layer,
  StatusHandlers.layer
)
