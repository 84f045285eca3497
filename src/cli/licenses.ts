import { brotliDecompressSync } from "node:zlib"
import * as Effect from "effect/Effect"

/** The bundler replaces this name in a binary: the licenses of all parts, compressed, in base64. */
declare const WALLET_DATA_LICENSES: string | undefined

/** The licenses of the program and of everything in its binary; fails if it was not built by `scripts/build.ts`. */
export const licenses = Effect.suspend(() =>
  typeof WALLET_DATA_LICENSES === "undefined"
    ? Effect.fail("licenses: this program runs from source; `bun scripts/licenses.ts` prints the licenses of a binary")
    : Effect.succeed(brotliDecompressSync(Buffer.from(WALLET_DATA_LICENSES, "base64")).toString().trimEnd())
)
