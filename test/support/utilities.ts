import * as Layer from "effect/Layer"
import * as Addresses from "../../src/features/addresses/handlers.ts"
import * as Blocks from "../../src/features/blocks/handlers.ts"
import * as Faucet from "../../src/features/faucet/handlers.ts"
import * as Fees from "../../src/features/fees/handlers.ts"
import * as Icons from "../../src/features/icons/handlers.ts"
import * as Nodes from "../../src/features/nodes/handlers.ts"
import * as Token from "../../src/features/token/handlers.ts"
import * as Tokens from "../../src/features/tokens/handlers.ts"

/** The handlers of node access, fees, blocks and the faucet, of the address lookup, of icons and of the search for tokens. */
export const utilities = Layer.mergeAll(
  Nodes.layer,
  Fees.layer,
  Blocks.layer,
  Faucet.layer,
  Addresses.layer,
  Icons.layer,
  Token.layer,
  Tokens.layer
)
