import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import * as TonAddress from "./TonAddress.ts"

/** The largest jetton amount that a message can contain (TEP-74): fifteen bytes. */
export const maxJettons = 2n ** 120n - 1n

/** Decodes a response and converts its body. */
export const interpreting =
  (options: ResponseDecoder.DecodeOptions) =>
  <A, I, B>(schema: Schema.Schema<A, I>, find: (body: A) => Either.Either<B, Fault>): ResponseDecoder.Decoder<B> =>
  (answer) =>
    Either.flatMap(ResponseDecoder.fitting(schema, options)(answer), find)

/** Returns the canonical form of an address in a response; left if `requested` is given and does not contain it. */
export const requestedAddress = (
  requested: ReadonlySet<string> | undefined,
  text: string
): Either.Either<string, Fault> =>
  Either.filterOrLeft(
    Either.mapLeft(TonAddress.parse(text), () => notRequested),
    (address) => requested === undefined || requested.has(address),
    () => notRequested
  )

const notRequested: Fault = { reason: "bad_answer", detail: "returned addresses that were not requested" }
