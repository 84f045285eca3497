import { makeStore } from "../state/store.ts"
import type { SendResult } from "./signed.ts"

/** What became of a send. */
export type SendState = { readonly state: "sending" } | SendResult

/** By network and hash, until the page is closed: an outcome may arrive after its view was left. */
export const sends = makeStore<ReadonlyMap<string, SendState>>(new Map())

const keyOf = (network: string, hash: string) => `${network} ${hash}`

export const sentOf = (all: ReadonlyMap<string, SendState>, network: string, hash: string): SendState | undefined =>
  all.get(keyOf(network, hash))

/** Whether a send would be the first that can have arrived. */
export const maySend = (sent: SendState | undefined): boolean =>
  sent === undefined || sent.state === "refused" || (sent.state === "undecided" && sent.hash === undefined)

/** Sends, and keeps the outcome. Undefined without a send: an earlier one runs, was accepted or may have arrived. */
export const keepSend = async (
  network: string,
  hash: string,
  send: () => Promise<SendResult>
): Promise<SendResult | undefined> => {
  if (!maySend(sentOf(sends.get(), network, hash))) return undefined
  const keep = (sent: SendState) => sends.set(new Map(sends.get()).set(keyOf(network, hash), sent))
  keep({ state: "sending" })
  const result = await send()
  keep(result)
  return result
}
