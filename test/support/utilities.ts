import * as Layer from "effect/Layer"
import * as Addresses from "../../src/features/addresses/handlers.ts"
import * as Blocks from "../../src/features/blocks/handlers.ts"
import * as Estimate from "../../src/features/estimate/handlers.ts"
import * as Faucet from "../../src/features/faucet/handlers.ts"
import * as Fees from "../../src/features/fees/handlers.ts"
import * as Icons from "../../src/features/icons/handlers.ts"
import * as Nodes from "../../src/features/nodes/handlers.ts"
import * as Replacement from "../../src/features/replacement/handlers.ts"
import * as Sending from "../../src/features/sending/handlers.ts"
import * as Simulation from "../../src/features/simulation/handlers.ts"
import * as Transactions from "../../src/features/transactions/handlers.ts"

/** The handlers of all routes under /utils, of the address lookup and of icons. */
export const utilities = Layer.mergeAll(
  Nodes.layer,
  Transactions.layer,
  Fees.layer,
  Blocks.layer,
  Replacement.layer,
  Estimate.layer,
  Sending.layer,
  Simulation.layer,
  Faucet.layer,
  Addresses.layer,
  Icons.layer
)
