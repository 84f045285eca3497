import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as TronAddress from "../../chains/tron/TronAddress.ts"
import * as EvmContracts from "../evm/EvmContracts.ts"
import type { LedgerFacts, Move } from "../world/ledger.ts"
import { remembered } from "../world/memoized.ts"
import * as World from "../world/World.ts"
import { json, type Simulated } from "../world/wire.ts"
import * as TronSent from "./TronSent.ts"
import { blockAt, info, known, listed } from "./tronHistory.ts"
import { contracts } from "./tronRaw.ts"

export const tron = (facts: NetworkFacts) => [["trongrid", tronGrid(facts, TronSent.transactions(facts))] as const]

/** TronGrid: the node's HTTP API, and the account index under `/v1`. */
const tronGrid =
  (facts: LedgerFacts, transactions: TronSent.TronTransactions, past = remembered<Move>()): Simulated =>
  ({ body, now, path, query }) => {
    if (path.endsWith("/wallet/broadcasthex")) return json(transactions.submit(requestOf(body).transaction ?? "", now))
    if (path.endsWith("/wallet/gettransactionbyid")) {
      const { value = "" } = requestOf(body)
      const sent = transactions.find(value)
      return json("txID" in sent ? sent : known(past.get(value), value))
    }
    if (path.endsWith("/wallet/gettransactioninfobyid")) {
      const { value = "" } = requestOf(body)
      return json(transactions.info(value) ?? info(past.get(value)))
    }
    if (path.endsWith("/wallet/triggerconstantcontract")) return json(triggered(facts, requestOf(body)))
    if (path.endsWith("/wallet/getaccount")) return json(account(facts, requestOf(body).address ?? ""))
    if (path.endsWith("/wallet/getblock")) return json(blockAt(now))
    if (path.endsWith("/wallet/getchainparameters")) return json(chainParameters)
    if (path.endsWith("/wallet/getaccountresource")) return json(resources(facts, requestOf(body).address ?? ""))
    if (path.endsWith("/wallet/getReward")) return json(reward(facts, requestOf(body).address ?? ""))
    const [, holder = "", list = ""] = /\/v1\/accounts\/([^/]+)\/(transactions(?:\/trc20)?)$/.exec(path) ?? []
    if (list !== "") return json(listed({ facts, past, now }, holder, list, query))
    const [, address = "", tokens] = /\/v1\/accounts\/([^/]+)(\/trc20\/balance)?$/.exec(path) ?? []
    if (address === "") return json({ Success: false, Error: "not found", StatusCode: 404 }, 404)
    const rows = tokens === undefined ? indexed(facts, address) : trc20(facts, address)
    return json({ data: rows, success: true, meta: { at: now, page_size: rows.length } })
  }

interface TronRequest {
  readonly address?: string
  readonly contract_address?: string
  readonly data?: string
  readonly transaction?: string
  readonly value?: string
}

const parsed = Option.liftThrowable((body: string): TronRequest => JSON.parse(body))
const requestOf = (body: string): TronRequest => Option.getOrElse(parsed(body), () => ({}))

/** Response of `/wallet/getaccount`; an empty object for an account that is not activated. */
const account = (facts: LedgerFacts, address: string) => {
  const balance = World.native(facts, address)
  if (balance === 0n) return {}
  const staked = World.stakeOf(facts, address)
  const part = Number(staked / 4n)
  return {
    address,
    balance: Number(balance),
    create_time: 1_600_000_000_000,
    // Protobuf omits zero values, among them the type of a stake for bandwidth.
    ...(staked === 0n
      ? {}
      : {
          frozenV2: [{ amount: Number(staked) - 3 * part }, { type: "ENERGY", amount: part }, { type: "TRON_POWER" }],
          unfrozenV2: [{ type: "ENERGY", unfreeze_amount: part, unfreeze_expire_time: 1_900_000_000_000 }],
          account_resource: { delegated_frozenV2_balance_for_energy: part }
        })
  }
}

const reward = (facts: LedgerFacts, address: string) => {
  const rewards = World.rewardsOf(facts, address)
  return rewards === 0n ? {} : { reward: Number(rewards) }
}

/** Prices of July 2025, in sun; a subset of the parameters. */
const chainParameters = {
  chainParameter: [
    { key: "getMaintenanceTimeInterval", value: 21_600_000 },
    { key: "getCreateAccountFee", value: 100_000 },
    { key: "getTransactionFee", value: 1_000 },
    { key: "getCreateNewAccountFeeInSystemContract", value: 1_000_000 },
    { key: "getAllowUpdateAccountName" },
    { key: "getEnergyFee", value: 210 },
    { key: "getFreeNetLimit", value: 600 }
  ]
}

/** Response of `/wallet/getaccountresource`: a third of the free bandwidth is used. Zero values are omitted. */
const resources = (facts: LedgerFacts, address: string) =>
  World.native(facts, address) === 0n
    ? {}
    : {
        freeNetUsed: 200,
        freeNetLimit: 600,
        NetLimit: 1_000,
        TotalNetLimit: 43_200_000_000,
        TotalNetWeight: 26_982_826_755,
        EnergyLimit: 5_000,
        EnergyUsed: 1_200,
        TotalEnergyLimit: 180_000_000_000,
        TotalEnergyWeight: 19_117_826_755
      }

const indexed = (facts: LedgerFacts, address: string) => {
  const balance = World.native(facts, address)
  if (balance === 0n) return []
  return [
    { address: `41${TronAddress.toEvm(address).slice(2)}`, balance: Number(balance), trc20: trc20(facts, address) }
  ]
}

const trc20 = (facts: LedgerFacts, address: string) =>
  World.contractsOn(facts.platform).flatMap((contract) => {
    const amount = World.tokenBalance(facts, contract, address)
    return amount === 0n ? [] : [{ [contract.address]: String(amount) }]
  })

const triggered = (facts: LedgerFacts, { contract_address = "", data = "" }: TronRequest) => {
  const to = TronAddress.toEvm(contract_address)
  const returned = EvmContracts.call(contracts(facts), { from: to, to: to.toLowerCase(), data: `0x${data}` }, 0n)
  return Either.match(returned, {
    onLeft: () => ({
      result: { result: true, message: "REVERT opcode executed" },
      energy_used: 200,
      constant_result: [""],
      transaction: { ret: [{ ret: "FAILED" }], visible: true }
    }),
    onRight: (result) => ({
      result: { result: true },
      energy_used: 4062,
      constant_result: [result.slice(2)],
      transaction: { ret: [{}], visible: true }
    })
  })
}
