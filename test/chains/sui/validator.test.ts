import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { toValidator } from "../../../src/chains/sui/jsonrpc/SystemState.ts"

const table = { id: { id: "0xa" }, size: "900" }

const validator = {
  metadata: {
    sui_address: "0x1",
    protocol_pubkey_bytes: [1, 1],
    network_pubkey_bytes: [2],
    worker_pubkey_bytes: [3],
    proof_of_possession: [4],
    name: "First",
    description: "A validator",
    image_url: "https://validator.example/image.png",
    project_url: "https://validator.example",
    net_address: "/dns/validator.example/tcp/8080/http",
    p2p_address: "/dns/validator.example/udp/8084",
    primary_address: "/dns/validator.example/udp/8081",
    worker_address: "/dns/validator.example/udp/8082",
    next_epoch_protocol_pubkey_bytes: null,
    next_epoch_proof_of_possession: null,
    next_epoch_network_pubkey_bytes: [5],
    next_epoch_worker_pubkey_bytes: null,
    next_epoch_net_address: "/dns/next.example/tcp/8080/http",
    next_epoch_p2p_address: null,
    next_epoch_primary_address: null,
    next_epoch_worker_address: null
  },
  voting_power: "10000",
  operation_cap_id: "0x2",
  gas_price: "742",
  staking_pool: {
    id: { id: "0x3" },
    activation_epoch: "0",
    deactivation_epoch: null,
    sui_balance: "7",
    rewards_pool: "9",
    pool_token_balance: "6",
    exchange_rates: table,
    pending_stake: "0",
    pending_total_sui_withdraw: "0",
    pending_pool_token_withdraw: "0"
  },
  commission_rate: "200",
  next_epoch_stake: "8",
  next_epoch_gas_price: "743",
  next_epoch_commission_rate: "201"
}

describe("a Sui validator", () => {
  it("is converted to the format of JSON-RPC", () => {
    assert.deepInclude(Either.getOrThrow(toValidator(validator)), {
      suiAddress: "0x1",
      name: "First",
      protocolPubkeyBytes: "AQE=",
      nextEpochProtocolPubkeyBytes: null,
      nextEpochNetworkPubkeyBytes: "BQ==",
      nextEpochNetAddress: "/dns/next.example/tcp/8080/http",
      nextEpochP2pAddress: null,
      gasPrice: "742",
      nextEpochGasPrice: "743",
      stakingPoolActivationEpoch: "0",
      stakingPoolDeactivationEpoch: null,
      stakingPoolSuiBalance: "7",
      nextEpochStake: "8",
      exchangeRatesId: "0xa",
      exchangeRatesSize: "900"
    })
  })

  it("is refused if its version is unknown", () => {
    const { voting_power: _, ...other } = validator
    const refusal = Either.getOrUndefined(Either.flip(toValidator(other)))
    assert.strictEqual(refusal, "returned a validator of an unknown version")
  })
})
