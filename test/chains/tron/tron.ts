import * as Effect from "effect/Effect"
import * as Tron from "../../../src/chains/tron/Tron.ts"
import type { RegisteredToken } from "../../../src/providers/TokenRegistry.ts"
import { chainOver, token } from "../../support/chains.ts"
import { byAddress } from "../../support/holdings.ts"
import { json, type Reply, type SentRequest, simulatedClient } from "../../support/http.ts"

export const usdt = token("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "tether", 6)
export const just = token("TCFLL5dx5ZJdKnWuesXxi1VPwjLVmWZZy9", "just", 18)
export const wink = token("TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7", "wink", 6)

export const alice = "TEB39Rt69QkgD1BKhqaRNqGxfQzCarkRCb"
export const bob = "TFFriedwRtWdFuzerDDtkoQTZ29smDZ1MB"

/** Whether a request is for the newest block. */
export const isOfHead = ({ url }: SentRequest) => url.pathname === "/wallet/getblock"

/** TronGrid without a newest block. */
export const headless =
  (handler: (request: SentRequest) => Reply) =>
  (request: SentRequest): Reply =>
    isOfHead(request) ? json({}, { status: 404 }) : handler(request)

/** The network over an in-memory transport, and its requests. */
export const network = Effect.fnUntraced(function* (
  handler: (request: SentRequest) => Reply,
  tokens: ReadonlyArray<RegisteredToken> | undefined = [usdt, just, wink],
  environment: Readonly<Record<string, string>> = {}
) {
  const { requests, layer } = simulatedClient(handler)
  const lists = tokens.length === 0 ? {} : { tron: tokens }
  const { chain } = yield* chainOver(Tron.layer, layer, { tokens: lists, environment })
  return { ...byAddress(chain), requests }
})
