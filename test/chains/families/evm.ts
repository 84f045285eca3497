import { variablePrefix } from "../../../src/domain/NetworkId.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import type { FamilyFacts } from "./FamilyFacts.ts"

export const evm: FamilyFacts = {
  unfunded: [
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
    "0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED"
  ],
  malformed: [
    "",
    " ",
    "0x",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD",
    "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    "vitalik.eth"
  ],
  variables: ({ id }) => ({ [`${variablePrefix(id)}_RPC_URLS`]: `http://${id}.test` }),
  empty: ({ chainId = 0, id }) => ({ [`${id}.test`]: EvmNodes.rpcNode(EvmNodes.chain({ chainId })) })
}
