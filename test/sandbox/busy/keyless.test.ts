import { isAll } from "../../support/tier.ts"
import { busyHistory } from "./busyHistory.ts"

// EVM networks without a key of Etherscan.

busyHistory("keyless", isAll)
