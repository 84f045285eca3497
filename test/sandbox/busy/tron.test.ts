import { Tron } from "../../support/networks.ts"
import { isAll } from "../../support/tier.ts"
import { listening } from "./longHistory.ts"
import { readsLong } from "./moves.ts"

readsLong(
  listening({ TRONGRID_PER_SECOND: "1000" }),
  [
    {
      name: "trongrid",
      info: Tron.info,
      further: [/\/transactions\?.*max_timestamp=\d/, /\/transactions\?.*fingerprint=/, /\/trc20\?.*max_timestamp=\d/],
      ends: [200, 400, 600, 800, 1000],
      whole: true
    }
  ],
  isAll
)
