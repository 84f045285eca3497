import { base58 } from "@scure/base"
import { isAll } from "../../support/tier.ts"
import { busyHistory } from "./busyHistory.ts"

busyHistory("solana", {
  isAll,
  parameters: { before: ({ body }) => body.includes('"before":"') },
  // The longest page of a history, and that of a list of signatures.
  ends: [500, 1_000],
  idOf: (hash) => Buffer.from(base58.decode(hash).subarray(0, 32)).toString("hex")
})
