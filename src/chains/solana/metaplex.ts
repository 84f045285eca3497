import { ed25519 } from "@noble/curves/ed25519.js"
import { sha256 } from "@noble/hashes/sha2"
import { base58 } from "@scure/base"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

// Token Metadata of Metaplex (developers.metaplex.com/token-metadata): name and symbol of a mint, in an account whose
// address follows from the mint.

const program = "metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s"
const utf8 = new TextEncoder()

/** An address that belongs to no key: a point off the curve. */
const isOffCurve = (bytes: Uint8Array) => Option.isNone(pointAt(bytes))
const pointAt = Option.liftThrowable((bytes: Uint8Array) => ed25519.Point.fromBytes(bytes, true))

/** The address of the account with the name of a mint; undefined if every candidate is a key, which is nearly impossible. */
export const metadataAddress = (mint: string): string | undefined => {
  const owner = base58.decode(program)
  for (let bump = 255; bump >= 0; bump--) {
    const parts = [utf8.encode("metadata"), owner, base58.decode(mint), Uint8Array.of(bump), owner]
    const hash = sha256(Uint8Array.from([...parts, utf8.encode("ProgramDerivedAddress")].flatMap((part) => [...part])))
    if (isOffCurve(hash)) return base58.encode(hash)
  }
  return undefined
}

const isMetadata = Schema.is(
  Schema.Struct({ owner: Schema.Literal(program), data: Schema.Tuple(Schema.String, Schema.Literal("base64")) })
)

/** Name and symbol have at most 32 and 10 bytes; a longer one is rejected. */
const maxBytes = 256

/** The kind of the account in its first byte, the authority and the mint. */
const [kind, mintAt, nameAt] = [4, 33, 65]

/** The name and symbol in the account of a mint, without the zeros that fill them; none for another account. */
export const metadataIn = (
  mint: string,
  account: unknown
): Option.Option<{ readonly name: string; readonly symbol: string }> => {
  if (!isMetadata(account)) return Option.none()
  const bytes = Buffer.from(account.data[0].slice(0, 4096), "base64")
  if (bytes[0] !== kind || base58.encode(bytes.subarray(mintAt, nameAt)) !== mint) return Option.none()
  const name = textAt(bytes, nameAt)
  const symbol = name && textAt(bytes, name.end)
  return name === undefined || symbol === undefined
    ? Option.none()
    : Option.some({ name: name.text, symbol: symbol.text })
}

const textAt = (bytes: Buffer, from: number) => {
  const length = bytes.length < from + 4 ? Number.POSITIVE_INFINITY : bytes.readUInt32LE(from)
  const end = from + 4 + length
  if (length > maxBytes || bytes.length < end) return undefined
  return {
    text: bytes
      .toString("utf8", from + 4, end)
      .replace(/\0+$/, "")
      .trim(),
    end
  }
}

/** The bytes of such an account. */
export const metadataBytes = (mint: string, name: string, symbol: string): Buffer => {
  const padded = (text: string, size: number) => {
    const own = Buffer.from(text)
    const bytes = Buffer.alloc(4 + Math.max(size, own.length))
    bytes.writeUInt32LE(bytes.length - 4)
    bytes.set(own, 4)
    return bytes
  }
  const parts = [
    Buffer.of(kind),
    Buffer.alloc(32),
    Buffer.from(base58.decode(mint)),
    padded(name, 32),
    padded(symbol, 10)
  ]
  return Buffer.concat([...parts, Buffer.alloc(500)])
}

/** The program that owns these accounts. */
export const metaplex = program
