import { isAll } from "../../support/tier.ts"
import { busyHistory } from "./busyHistory.ts"

busyHistory("polkadot", {
  isAll,
  parameters: {
    page: ({ body }) => /"page":[1-9]/.test(body),
    block_range: ({ body }) => body.includes('"block_range":"0-')
  },
  ends: [100, 500],
  idOf: (hash) => hash.slice(2)
})
