import { createHash } from "node:crypto"
import * as Either from "effect/Either"
import type { Hex } from "viem"
import { getAddress } from "viem/utils"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { remembered } from "../world/memoized.ts"
import type * as World from "../world/World.ts"
import { json, type Simulated } from "../world/wire.ts"
import { newest } from "./EvmChain.ts"
import * as EvmContracts from "./EvmContracts.ts"
import { intrinsic } from "./EvmTransaction.ts"

interface SimulationQuery {
  readonly network_id?: string
  readonly from?: string
  readonly to?: string
  readonly input?: Hex
  readonly gas?: number
  readonly gas_price?: string
  readonly value?: string
  readonly block_number?: number
  readonly simulation_type?: string
}

/** Why the nodes of a network refuse a call; undefined if it succeeds, or the network is unknown. */
const failureOf = (networks: ReadonlyArray<World.InWorld<NetworkFacts>>, query: SimulationQuery, block: number) => {
  const { from = "", input = "0x", network_id, to } = query
  const facts = networks.find(({ chainId }) => String(chainId) === network_id)
  if (facts === undefined) return undefined
  const call = { from: from.toLowerCase(), to: to?.toLowerCase(), data: input }
  return Either.match(EvmContracts.call(facts, call, BigInt(block)), {
    onLeft: ({ message }) => message,
    onRight: () => undefined
  })
}

/**
 * Tenderly, as far as the service uses it, with the last 1,000 simulations. A transaction costs its intrinsic gas; calls
 * have no effect, and fail if a node would refuse them.
 */
export const tenderly = (networks: ReadonlyArray<World.InWorld<NetworkFacts>>): Simulated => {
  const saved = remembered<true>(1_000)
  return ({ body, method, now, path }) => {
    const shared = /\/simulations\/([^/]+)\/share$/.exec(path)?.[1]
    if (shared !== undefined) return saved.has(shared) ? new Response(null, { status: 204 }) : refused(404, "not_found")
    if (method === "GET") return json({ simulations: [] })
    const query: SimulationQuery = JSON.parse(body)
    const { block_number = Number(newest(now)), gas = 8_000_000, input = "0x" } = query
    const used = Number(intrinsic({ data: input, to: "" }))
    if (gas < used)
      return refused(400, "invalid_transaction_simulation", `intrinsic gas too low: have ${gas}, want ${used}`)
    const digest = createHash("sha256").update(`${body} ${block_number}`).digest("hex")
    const id = digest.slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-8$4-$5")
    saved.set(id, true)
    const failure = failureOf(networks, query, block_number)
    const error = failure === undefined ? {} : { error_message: failure }
    const info =
      failure === undefined ? {} : { error_info: { error_message: failure, address: query.to?.toLowerCase() } }
    const common = {
      block_number,
      from: query.from?.toLowerCase(),
      to: query.to?.toLowerCase(),
      input,
      gas,
      gas_used: used,
      network_id: query.network_id,
      status: failure === undefined,
      ...error
    }
    return json({
      transaction: {
        ...common,
        ...info,
        hash: `0x${digest}`,
        gas_price: Number(query.gas_price ?? 0),
        value: query.value ?? "0"
      },
      simulation: {
        ...common,
        from: withChecksum(query.from),
        to: withChecksum(query.to),
        id,
        method: "",
        gas_price: query.gas_price ?? "0",
        value: query.value ?? "0",
        simulation_type: query.simulation_type,
        created_at: new Date(now).toISOString(),
        shared: false
      },
      contracts: [],
      generated_access_list: []
    })
  }
}

const withChecksum = (address: string | undefined) => address && getAddress(address)

const refused = (status: number, slug: string, message = "There is no such simulation") =>
  json({ error: { id: "5a0bd0b3-0000-4000-8000-000000000000", slug, message } }, status)
