import { Ripple } from "../../support/networks.ts"
import { isAll } from "../../support/tier.ts"
import { listening } from "./longHistory.ts"
import { readsLong } from "./moves.ts"

readsLong(
  listening({}),
  [
    {
      name: "ripple-rpc",
      info: Ripple.info,
      further: [/"marker":\{"ledger":\d+,"seq":\d+\}/, /"ledger_index_max":\d/],
      ends: [400, 500, 800, 1000],
      whole: true
    }
  ],
  isAll
)
