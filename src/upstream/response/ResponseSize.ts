import { measure } from "../../kernel/text/jsonText.ts"

/** Maximum size of a response; a larger one is aborted and rejected. */
export interface Size {
  /** After decompression. */
  readonly bytes: number
  /** Number of JSON values: the cost of parsing and decoding depends on it more than on the bytes. */
  readonly values: number
  /** The call determines the size: a larger response is not a fault of the address, and every other would return it. */
  readonly isOfCall?: boolean
}

const mebibyte = 1024 * 1024

/** The default: parsing and decoding a response of this size takes less than 50 ms. */
export const usual: Size = { bytes: 4 * mebibyte, values: 150_000 }

/** For an upstream that returns complete lists: `/coins/list` of CoinGecko has 4 MB and 200,000 values. */
export const lists: Size = { bytes: 16 * mebibyte, values: 400_000 }

/** For pages or batches of long rows: transactions with all their inputs, traces. */
export const rows: Size = { bytes: 16 * mebibyte, values: 250_000 }

/** For calls of contracts, which determine the length of their results. */
export const ofContracts: Size = { ...usual, isOfCall: true }

/** For responses of a node that are passed on to a client as text, so that the number of values hardly matters. */
export const proxied: Size = { bytes: 16 * mebibyte, values: Number.POSITIVE_INFINITY, isOfCall: true }

/** Maximum depth of nested arrays and objects. Traces of nodes, the deepest responses, rarely exceed a hundred. */
export const maxDepth = 1_000

/** A text of this length cannot be nested deeper than {@link maxDepth}: each array and object has two brackets. */
const neverDeep = 2 * maxDepth

/** True if JSON has no more values than this and no deeper nesting than {@link maxDepth}. Arbitrary for other texts. */
export const isWithin =
  ({ values }: Size) =>
  (text: string): boolean => {
    if (text.length <= neverDeep || values === Number.POSITIVE_INFINITY) return true
    const found = measure(text, { depth: maxDepth, values })
    return found.depth <= maxDepth && found.values <= values
  }
