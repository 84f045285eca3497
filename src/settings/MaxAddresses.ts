import * as declare from "./declare.ts"

/** How many addresses one request may name, over all its networks. */
export const maxAddresses = declare.integer({
  name: "MAX_ADDRESSES",
  default: 500,
  min: 1,
  max: 100_000,
  meaning: "Addresses in one request at most; more are refused with 413"
})
