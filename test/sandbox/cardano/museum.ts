import * as World from "../../../src/sandbox/world/World.ts"
import type { MuseumCase } from "../museum.ts"

const museum = { network: "cardano", address: World.museum("cardano") ?? "" }

/** Forms of answers, and the source that has them. */
export const cases: ReadonlyArray<MuseumCase & { readonly source: "koios" | "blockfrost" }> = [
  {
    case: "a transaction without inputs, of the genesis block",
    fixture: "blockfrost/tx-utxos-no-inputs-genesis.json",
    source: "blockfrost",
    ...museum,
    shows: /"inputs":\[\]/
  },
  {
    case: "a withdrawal of rewards",
    fixture: "blockfrost/tx-withdrawals.json",
    source: "blockfrost",
    ...museum,
    shows: /"deposit":"0",.*"withdrawal_count":1,/
  },
  {
    case: "collateral beside the spent outputs",
    fixture: "blockfrost/tx-utxos-script-collateral.json",
    source: "blockfrost",
    ...museum,
    shows: /"collateral":false,"reference":false\}.*"collateral":true,"reference":false\}/
  },
  {
    case: "an output that a script reads and does not spend",
    fixture: "https://docs.blockfrost.io/",
    source: "blockfrost",
    ...museum,
    shows: /"collateral":false,"reference":true\}/
  },
  {
    case: "the largest quantity, of an asset without a name",
    fixture: "blockfrost/tx-int64-max-token.json",
    source: "blockfrost",
    ...museum,
    shows: /"unit":"[0-9a-f]{56}","quantity":"9223372036854775807"/
  },
  {
    case: "an asset without registered decimals",
    fixture: "blockfrost/address-extended-cip68-decimals.json",
    source: "blockfrost",
    ...museum,
    shows: /"decimals":null,/
  },
  {
    case: "no list of assets",
    fixture: "koios/address-utxos-null-asset-list.json",
    source: "koios",
    ...museum,
    shows: /"asset_list":null/
  }
]

/** A refusal that is a text, which a museum cannot contain. */
export const refusal = "koios/submittx-raw-cbor-error-400.json"
