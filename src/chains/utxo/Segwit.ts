import { bech32, bech32m } from "@scure/base"
import * as Either from "effect/Either"

// BIP-173 (bech32, witness version 0) and BIP-350 (bech32m, all later versions).

export interface Witness {
  /** The human-readable part, which identifies the network. */
  readonly hrp: string
  readonly version: number
  readonly program: Uint8Array
}

/** Decodes a witness address; left is the problem, or undefined if the text is not bech32. */
export const decode = (text: string): Either.Either<Witness, string | undefined> => {
  const old = bech32.decodeUnsafe(text)
  const decoded = old ?? bech32m.decodeUnsafe(text)
  if (decoded === undefined) return Either.left(undefined)
  const [version, ...words] = decoded.words
  const program = bech32.fromWordsUnsafe(words)
  if (version === undefined || version > 16 || !program) return Either.left("it is not a witness address")
  if ((version === 0) !== (old !== undefined))
    return Either.left(
      version === 0
        ? "version 0 requires the checksum of BIP-173, but it has that of BIP-350"
        : `version ${version} requires the checksum of BIP-350, but it has that of BIP-173`
    )
  const fits = version === 0 ? program.length === 20 || program.length === 32 : within(program.length, 2, 40)
  return fits ? Either.right({ hrp: decoded.prefix, version, program }) : Either.left("its length is wrong")
}

export const encode = ({ hrp, program, version }: Witness): string =>
  (version === 0 ? bech32 : bech32m).encode(hrp, [version, ...bech32.toWords(program)])

const within = (value: number, min: number, max: number) => value >= min && value <= max
