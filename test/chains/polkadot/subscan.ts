import * as Effect from "effect/Effect"
import type { Chain } from "../../../src/chains/Chain.ts"
import * as Polkadot from "../../../src/chains/polkadot/Polkadot.ts"
import * as PolkadotAddress from "../../../src/chains/polkadot/PolkadotAddress.ts"
import type { Seconds } from "../../../src/domain/units.ts"
import { chainOver } from "../../support/chains.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { withTexts } from "../../support/gaps.ts"
import { settled } from "../../support/settled.ts"

/** An account by its number. */
export const account = (index: number) => `0x${index.toString(16).padStart(64, "0")}` as const
export const [alice, bob] = [account(0xa11ce), account(0xb0b)]
export const [aliceText, bobText] = [PolkadotAddress.format(alice), PolkadotAddress.format(bob)]

/** Variables of the network over these hosts. */
export const environment = {
  POLKADOT_RPC_URLS: "http://hub.test",
  SUBSCAN_URL: "http://subscan.test",
  SUBSCAN_RELAY_URL: "http://relay.test",
  SUBSCAN_API_KEY: "secret"
}

/** A request to Subscan. */
export interface SubscanRequest {
  readonly path: string
  readonly page: number
  readonly row: number
  readonly address: string
  readonly block_range?: string
}

/** The network over one Subscan for Asset Hub and one for the relay chain, and the requests to each. */
export const network = (
  subscan: EvmNodes.SimulatedHost,
  relay: EvmNodes.SimulatedHost = subscanWith({}),
  blocks = Effect.sync(() => new Response("", { status: 404 }))
) => {
  const requests: Array<SubscanRequest> = []
  const relayRequests: Array<SubscanRequest> = []
  const recordingRequests =
    (noted: Array<SubscanRequest>, answer: EvmNodes.SimulatedHost): EvmNodes.SimulatedHost =>
    (body, request) => {
      if (request.url.pathname === "/api/v2/scan/blocks") return blocks
      noted.push({ path: request.url.pathname, ...JSON.parse(request.text) })
      return answer(body, request)
    }
  const { layer } = EvmNodes.clientOver({
    "subscan.test": recordingRequests(requests, subscan),
    "relay.test": recordingRequests(relayRequests, relay)
  })
  return Effect.map(chainOver(Polkadot.layer, layer, { environment }), ({ chain }) => ({
    ...chain,
    requests,
    relayRequests
  }))
}

/** The first page of an account's history, with texts of its gaps. */
export const historyOf = (pick: Pick<Chain["Type"], "history">, address: string = alice, limit = 50, since?: Seconds) =>
  settled(
    Effect.map(
      pick.history?.({ address, limit, ...(since === undefined ? {} : { since }) }) ?? Effect.die("no history"),
      withTexts
    )
  )

/** A response of Subscan with this data. */
export const success = (data: unknown) => ({ code: 0, message: "Success", generated_at: 1, data })

/** Rows of Subscan's lists. */
export interface Rows {
  readonly transfers?: ReadonlyArray<unknown>
  readonly extrinsics?: ReadonlyArray<unknown>
}

/** Subscan with these rows, newest first. */
export const subscanWith =
  ({ extrinsics = [], transfers = [] }: Rows): EvmNodes.SimulatedHost =>
  (_, { text, url }) =>
    Effect.sync(() => {
      const { block_range = "0-999999999", page, row } = JSON.parse(text) as SubscanRequest
      const name = url.pathname.split("/").at(-1) ?? ""
      const last = Number(block_range.split("-")[1])
      const all = (name === "transfers" ? transfers : extrinsics).filter(
        (listed) => (listed as { readonly block_num: number }).block_num <= last
      )
      const rows = all.slice(page * row, (page + 1) * row)
      return Response.json(success({ count: all.length, [name]: rows.length === 0 ? null : rows }))
    })
