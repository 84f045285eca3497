import { busyHoldings } from "./busyHoldings.ts"

busyHoldings("ripple")
busyHoldings("sui")
busyHoldings("ton")
