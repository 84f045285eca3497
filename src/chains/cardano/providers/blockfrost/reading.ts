import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Call from "../../../../upstream/Call.ts"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import type { Upstream } from "../../../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../../../upstream/UpstreamError.ts"
import { readPages } from "../readPages.ts"
import { pageSize } from "./calls.ts"

/** Makes a call; none if its object does not exist. */
export type Get = <P, A, I>(
  call: Call.Call<string, P, unknown, A, I>,
  parameters: P
) => Effect.Effect<Option.Option<A>, UpstreamError>

export const getting =
  (upstream: Upstream): Get =>
  (call, parameters) =>
    upstream.over((address) =>
      address.read(Call.requestOf(call, parameters), orNone(Call.decoding(call, parameters, { refusal })))
    )

interface OfAddress {
  readonly address: string
  readonly page?: number | undefined
}

/** Reads the list of an address page by page; one that does not exist is empty. */
export type Pages = <Row, I>(
  call: Call.Call<string, OfAddress, unknown, ReadonlyArray<Row>, I>,
  address: string,
  keyOf: (row: Row) => string,
  maxRows?: number
) => Effect.Effect<{ readonly rows: ReadonlyArray<Row>; readonly more: boolean }, UpstreamError>

export const paging =
  (upstream: Upstream): Pages =>
  (call, address, keyOf, maxRows) => {
    const read = (index: number) =>
      Effect.map(
        getting(upstream)(call, { address, page: index === 0 ? undefined : index + 1 }),
        Option.getOrElse(() => [])
      )
    return readPages(upstream, pageSize, read, keyOf, maxRows)
  }

/** None for a 404 from Blockfrost itself: the address is unused. Any other 404 means a wrong path. */
export const orNone =
  <A>(decode: ResponseDecoder.Decoder<A>): ResponseDecoder.Decoder<Option.Option<A>> =>
  (answer) =>
    answer.status === 404
      ? Either.flatMap(ResponseDecoder.json(answer), (body) =>
          isNotFound(body) ? Either.right(Option.none()) : Either.left({ ...Call.notRequested, status: 404 })
        )
      : Either.map(decode(answer), Option.some)

const isNotFound = (body: unknown) =>
  Predicate.isRecord(body) && body.status_code === 404 && String(body.message).includes("component has not been found")

/** 402: daily quota used up. 418: banned for continuing after that. Both end in time: retried after ten minutes. */
export const refusal = (body: unknown): Fault | undefined => {
  const code = Predicate.isRecord(body) ? body.status_code : undefined
  return code === 402 || code === 418
    ? { reason: "rate_limited", detail: `call limit reached (${code})`, retryAfter: 10 * 60 * 1000 }
    : undefined
}
