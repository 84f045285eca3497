import { base58 } from "@scure/base"
import * as Option from "effect/Option"

/** A Solana transaction of 1,232 bytes has 1,683 characters; decoding takes time in proportion to the square of the length. */
const longest = 2_000

/** The bytes of a text in base58; none where it is not, or longer than anything that is written so. */
export const decode = (text: string): Option.Option<Uint8Array> =>
  text.length > longest ? Option.none() : decoded(text)

const decoded = Option.liftThrowable((text: string) => base58.decode(text))
