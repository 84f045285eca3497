import { join } from "node:path"
import * as Effect from "effect/Effect"
import { folder } from "./process.ts"
import { assert } from "./vitest.ts"

/** Files with a key and a self-signed certificate for these names, such as `IP:127.0.0.1`. Needs openssl. */
export const selfSigned = (names: string) =>
  Effect.map(folder, (path) => {
    const [key, certificate] = [join(path, "key.pem"), join(path, "certificate.pem")]
    const words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost".split(" ")
    const made = Bun.spawnSync(
      ["openssl", ...words, "-addext", `subjectAltName=${names}`, "-keyout", key, "-out", certificate],
      { stderr: "ignore" }
    )
    assert.strictEqual(made.exitCode, 0)
    return { key, certificate }
  })
