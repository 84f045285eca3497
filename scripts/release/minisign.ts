import { createHash, createPrivateKey, createPublicKey, sign as signBytes, verify as verifyBytes } from "node:crypto"

// Signatures in the format of minisign (https://jedisct1.github.io/minisign): Ed25519 over the BLAKE2b hash of a file, and
// over the signature with its comment.

/** A key that signs. */
export interface SecretKey {
  readonly id: Uint8Array
  readonly seed: Uint8Array
  /** The line that verifies its signatures: `minisign -V -P LINE`. */
  readonly publicKey: string
}

const legacy = "Ed"
const hashed = "ED"

/** Prefixes of DER around the 32 bytes of a key. */
const pkcs8 = Buffer.from("302e020100300506032b657004220420", "hex")
const spki = Buffer.from("302a300506032b6570032100", "hex")

const privateKey = (seed: Uint8Array) =>
  createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: "der", type: "pkcs8" })

const publicBytes = (seed: Uint8Array) =>
  createPublicKey(privateKey(seed)).export({ format: "der", type: "spki" }).subarray(spki.length)

const base64 = (...parts: ReadonlyArray<string | Uint8Array>) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part))).toString("base64")

const digest = (message: Uint8Array) => createHash("blake2b512").update(message).digest()

/** The bytes of a line of base64; empty if it has another form. */
const bytesOf = (line = "") => (/^[A-Za-z0-9+/]+={0,2}$/.test(line) ? Buffer.from(line, "base64") : Buffer.alloc(0))

/** Reads a key file of `minisign -G -W`. Throws if it has another form, or if a password protects it. Messages never contain it. */
export const parseSecretKey = (text: string): SecretKey => {
  const bytes = bytesOf(text.trim().split(/\r?\n/).at(-1))
  if (bytes.length !== 158 || bytes.toString("latin1", 0, 2) !== legacy)
    throw new Error("the key of the release is not a secret key of minisign: generate it with `minisign -G -W`")
  if (bytes.readUInt16LE(2) !== 0)
    throw new Error("a password protects the key of the release: `minisign -G -W` generates a key without one")
  const [id, seed, point] = [bytes.subarray(54, 62), bytes.subarray(62, 94), bytes.subarray(94, 126)]
  if (!publicBytes(seed).equals(point)) throw new Error("the key of the release is damaged: its parts do not match")
  return { id, seed, publicKey: base64(legacy, id, point) }
}

/** The content of `FILE.minisig` for this message. The same input gives the same bytes. */
export const sign = ({ id, seed }: SecretKey, message: Uint8Array, comment: string): string => {
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(comment)) throw new Error("a comment of a signature is one line")
  const key = privateKey(seed)
  const signature = signBytes(undefined, digest(message), key)
  const whole = signBytes(undefined, Buffer.concat([signature, Buffer.from(comment)]), key)
  const lines = ["untrusted comment: signature of a release", base64(hashed, id, signature)]
  return [...lines, `trusted comment: ${comment}`, base64(whole), ""].join("\n")
}

/** The trusted comment of a signature; undefined if the signature is not one of this key for this message. */
export const verify = (publicKey: string, message: Uint8Array, signature: string): string | undefined => {
  const key = bytesOf(publicKey)
  const [untrusted = "", first, trusted = "", second, ...rest] = signature.split("\n")
  const [one, two] = [bytesOf(first), bytesOf(second)]
  const comment = /^trusted comment: (.*)$/.exec(trusted)?.[1]
  const isWellFormed =
    key.length === 42 && one.length === 74 && two.length === 64 && rest.join("") === "" && comment !== undefined
  if (!isWellFormed || !untrusted.startsWith("untrusted comment: ")) return undefined
  if (key.toString("latin1", 0, 2) !== legacy || one.toString("latin1", 0, 2) !== hashed) return undefined
  if (!key.subarray(2, 10).equals(one.subarray(2, 10))) return undefined
  const point = createPublicKey({ key: Buffer.concat([spki, key.subarray(10)]), format: "der", type: "spki" })
  const signed = one.subarray(10)
  const isValid =
    verifyBytes(undefined, digest(message), point, signed) &&
    verifyBytes(undefined, Buffer.concat([signed, Buffer.from(comment)]), point, two)
  return isValid ? comment : undefined
}
