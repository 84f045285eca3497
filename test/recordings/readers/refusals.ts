import { type Refusals, reasonIn, shown } from "../../../src/chains/kit/sending/refusals.ts"
import { rpcErrorOf } from "../../../src/jsonrpc/errors.ts"
import { assert } from "../../support/vitest.ts"
import type { Read } from "../table.ts"

type Body = Readonly<Record<string, unknown>>

/** The reason that a recorded refusal of a transaction means, by its words. */
export const meaning =
  (refusals: Refusals, wordsIn: (body: Body) => unknown = String): Read =>
  ({ response }) => {
    const words = String(wordsIn(response.body as Body))
    assert.isAtMost(shown(words)?.length ?? 0, 500)
    return reasonIn(refusals, words)
  }

/** The words of an error of JSON-RPC, after its code. */
export const coded = ({ error }: Body) => {
  const { code, data, detail } = rpcErrorOf(error)
  return [`${code}: ${detail}`, data].filter((text) => typeof text === "string").join(": ")
}
