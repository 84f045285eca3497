import { measure } from "../../kernel/jsonText.ts"

/** How large an answer may be; beyond it an answer is cut off and refused. */
export interface Size {
  /** After decompression. */
  readonly bytes: number
  /** JSON values in it: what parsing and decoding cost depends on their number more than on the bytes. */
  readonly values: number
}

const mebibyte = 1024 * 1024

/** The largest answer of an upstream that declares no other: parsing and decoding it takes less than 50 ms. */
export const usual: Size = { bytes: 4 * mebibyte, values: 150_000 }

/** The largest answer of an upstream that lists all it knows: `/coins/list` of CoinGecko has 4 MB and 200,000 values. */
export const lists: Size = { bytes: 16 * mebibyte, values: 400_000 }

/** The largest answer with long rows, of which a page or a batch has many: transactions with all their inputs, traces. */
export const rows: Size = { bytes: 16 * mebibyte, values: 250_000 }

/** The largest answer of a node that is passed on to a client: as text, so that its values count little. */
export const passed: Size = { bytes: 16 * mebibyte, values: Number.POSITIVE_INFINITY }

/** Lists and objects in one another; the traces of nodes, the deepest of all answers, hardly exceed a hundred. */
export const maxDepth = 1_000

/** So short a text cannot nest deeper than {@link maxDepth}: every list and every object has two brackets. */
const neverDeep = 2 * maxDepth

/** Whether JSON has no more values than that, and none deeper than {@link maxDepth}. What is no JSON may be either. */
export const isWithin =
  ({ values }: Size) =>
  (text: string): boolean => {
    if (text.length <= neverDeep || values === Number.POSITIVE_INFINITY) return true
    const found = measure(text, { depth: maxDepth, values })
    return found.depth <= maxDepth && found.values <= values
  }
