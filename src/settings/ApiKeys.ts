import * as declare from "./declare.ts"

/** Read by the gate, and by the answers, which no shared cache may keep where there are keys. */
export const apiKeys = declare.secrets({
  name: "API_KEYS",
  allowed: "keys separated by commas, none of them empty",
  meaning: "Accepted x-api-key values; without them the service is open"
})
