import { busyHoldings } from "./busyHoldings.ts"

busyHoldings("cardano")
