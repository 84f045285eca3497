import { type DecodeOptions, decode as decodeCbor, getEncoded, Tag } from "cbor2"
import * as Option from "effect/Option"

/** Decodes an item of CBOR (RFC 8949), maps as `Map`; none if it is malformed, or if bytes follow it. */
export const decode = (bytes: Uint8Array, options: DecodeOptions = {}): Option.Option<unknown> =>
  decoded(bytes, { ...options, ignoreGlobalTags: true, preferMap: true, saveOriginal: true })

const decoded = Option.liftThrowable((bytes: Uint8Array, options: DecodeOptions) => decodeCbor(bytes, options))

/** The bytes from which a map was decoded; undefined for other items. */
export const bytesOfMap = (item: unknown): Uint8Array | undefined =>
  item instanceof Map ? getEncoded(item) : undefined

/** The contents of an item with any tag, or the item itself. */
export const untagged = (item: unknown): unknown => (item instanceof Tag ? item.contents : item)
