import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { hashOf } from "../http/access/ApiKey.ts"
import * as KeyFile from "../http/access/KeyFile.ts"

/** Prints a new random key, which is stored nowhere, and the entry by which the service knows it. */
export const key = (name: string) =>
  Effect.gen(function* () {
    const text = `wd_${Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString("base64url")}`
    const entry = JSON.stringify({ name, hash: `sha256:${hashOf(text)}` })
    const problem = Either.getLeft(KeyFile.parse(`[${entry}]`))
    if (problem._tag === "Some") return yield* Effect.fail(`NAME: ${problem.value.replace(/^0\.name: /, "")}`)
    yield* Console.log(`key, for the client alone:  ${text}\nentry, for API_KEYS_FILE:   ${entry}`)
    return true
  })
