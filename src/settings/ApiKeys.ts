import * as Effect from "effect/Effect"
import * as declare from "./declare.ts"

/** Keys without names and quotas of their own. */
export const apiKeys = declare.secrets({
  name: "API_KEYS",
  allowed: "keys separated by commas, none of them empty",
  meaning: "Accepted x-api-key values; without them, and without API_KEYS_FILE, the service is open",
  ownFile: true
})

/** The path of the file with keys, or the empty text. */
export const apiKeysFile = declare.text({
  name: "API_KEYS_FILE",
  default: "",
  allowed: "the path of a file: a JSON list of keys with name, hash, perMinute, perDay and routes, or plain keys",
  meaning: "A file of accepted keys, read again when it changes and on SIGHUP; see Access"
})

/** Read by the gate, and by the answers, which no shared cache may keep where there are keys. */
export const isKeyed = Effect.zipWith(apiKeys, apiKeysFile, (keys, file) => keys.length > 0 || file !== "")
