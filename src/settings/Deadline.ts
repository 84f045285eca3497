import * as declare from "./declare.ts"

/** Read by the edge, and by the use cases that answer with what they have before it is over. */
export const requestDeadline = declare.integer({
  name: "REQUEST_DEADLINE_MS",
  default: 15_000,
  min: 100,
  max: 240_000,
  meaning: "Time for a whole request in milliseconds; what is not ready by then is reported as missing"
})
