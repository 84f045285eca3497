import * as declare from "./declare.ts"

/** How long one attempt at one address of an upstream may take, ms. */
export const upstreamTimeout = declare.integer({
  name: "UPSTREAM_TIMEOUT_MS",
  default: 5_000,
  min: 1,
  max: 120_000,
  meaning: "How long one attempt at an upstream may take, in milliseconds"
})
