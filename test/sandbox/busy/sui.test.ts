import { base58 } from "@scure/base"
import { isAll } from "../../support/tier.ts"
import { busyHistory } from "./busyHistory.ts"

busyHistory("sui", {
  isAll,
  parameters: {
    before: ({ body }) => /"before":"[^"]/.test(body),
    beforeCheckpoint: ({ body }) => body.includes('"beforeCheckpoint":')
  },
  ends: [50, 500],
  idOf: (hash) => Buffer.from(base58.decode(hash)).toString("hex")
})
