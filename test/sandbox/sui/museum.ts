import * as World from "../../../src/sandbox/world/World.ts"
import type { MuseumCase } from "../museum.ts"

const museum = { network: "sui", address: World.museum("sui") ?? "" }

/** Forms of answers. Those of JSON-RPC are members of the answers in GraphQL, too. */
export const cases: ReadonlyArray<MuseumCase> = [
  {
    case: "recipients before the sender",
    fixture: "sui/graphql-balance-changes.json",
    ...museum,
    shows: /"amount":"500"\}.*"amount":"300"\}.*"amount":"-2986680"\}/
  },
  {
    case: "the type of a coin as a text",
    fixture: "sui/graphql-balance-changes.json",
    ...museum,
    shows: /"coinType":"0x0{63}2::sui::SUI","amount"/
  },
  {
    case: "a part of a balance that is in no coin object",
    fixture: "sui/graphql-balances.json",
    ...museum,
    shows: /"addressBalance":"1000000"/
  },
  {
    case: "a storage rebate that exceeds the costs",
    fixture: "sui/tx-transfer-token-negative-fee.json",
    ...museum,
    shows: /"computationCost":"740000","storageCost":"3632800","storageRebate":"4574592"/
  },
  {
    case: "a failure that names the command",
    fixture: "sui/tx-failed-insufficient-coin-balance.json",
    ...museum,
    shows: /InsufficientCoinBalance in command 2/
  },
  {
    case: "gas that another address pays",
    fixture: "https://docs.sui.io/concepts/transactions/sponsored-transactions",
    ...museum,
    shows: new RegExp(
      `"sender":\\{"address":"${World.museum("sui")}"\\},"gasInput":\\{"gasSponsor":\\{"address":"0x7{64}"`
    )
  },
  {
    case: "gas that the museum pays for another address",
    fixture: "https://docs.sui.io/concepts/transactions/sponsored-transactions",
    ...museum,
    shows: new RegExp(
      `"sender":\\{"address":"0x7{64}"\\},"gasInput":\\{"gasSponsor":\\{"address":"${World.museum("sui")}"`
    )
  },
  {
    case: "a transaction of the system, from the zero address",
    fixture: "sui/grpc-tx-system-prologue.json",
    ...museum,
    shows: /"sender":(?:\{"address":)?"0x0{64}"/
  }
]
