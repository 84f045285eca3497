import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Struct from "effect/Struct"
import * as calls from "../../chains/cardano/providers/koios/calls.ts"
import { fingerprintOf } from "../../chains/cardano/providers/koios/KoiosAsset.ts"
import { type Answered, answered, answerOf } from "../world/answers.ts"
import * as Landmarks from "../world/Landmarks.ts"
import * as World from "../world/World.ts"
import { json, type Simulated } from "../world/wire.ts"
import * as CardanoChain from "./CardanoChain.ts"
import { blockHash, type CardanoValue, type SimulatedTransaction, sumOf } from "./CardanoHistory.ts"
import {
  account,
  assetsOf,
  type CardanoLedger,
  newestBlock,
  registered,
  seconds,
  spendable,
  used
} from "./CardanoLedger.ts"
import { hasScript, type LedgerOutput, referenceScript } from "./CardanoOutputs.ts"
import * as CardanoParameters from "./CardanoParameters.ts"
import { addressBytes, type CardanoInput, type CardanoOutput, split } from "./cardanoRaw.ts"

/** Koios, which needs no key. */
export const koios = (ledger: CardanoLedger): Simulated => {
  const answers = answersOf(ledger)
  return (request) => {
    const { bytes = new Uint8Array(), now, path, query } = request
    if (path.endsWith(calls.submit.path))
      return Either.match(ledger.sent.submit(bytes, now), {
        onLeft: (refusal) => json(refusal, 400),
        onRight: (id) => json(id, 202)
      })
    return Option.match(answerOf(answers, request), {
      onNone: () => json({ code: "PGRST202", details: null, hint: null, message: "Could not find the function" }, 404),
      onSome: (rows) => json(selected(rows as ReadonlyArray<object>, query))
    })
  }
}

const answersOf = ({ facts, histories, outputs, sent }: CardanoLedger): ReadonlyArray<Answered> => {
  /** The requested addresses that are in use. */
  const inUse = (addresses: ReadonlyArray<string> = []) => addresses.filter((text) => used(facts, text))
  const unspent = (addresses: ReadonlyArray<string> | undefined) =>
    inUse(addresses).flatMap((address) =>
      outputs
        .of(address, spendable(facts, address))
        .map((output) => koiosUnspent(output, address === Landmarks.museum(facts)))
    )
  const balancesOf = (address: string) =>
    assetsOf(facts, address).map(({ decimals, quantity, unit }) => ({
      ...split(unit),
      fingerprint: fingerprintOf(unit),
      // Koios returns 0 for unknown decimals.
      decimals: decimals ?? 0,
      quantity
    }))
  return [
    answered(calls.tip, ({ now }) => [CardanoChain.koiosTip(newestBlock(now))]),
    answered(calls.blockInfo, ({ body, now }) =>
      (body._block_hashes ?? []).flatMap((hash) => {
        const height = CardanoChain.heightOf(hash)
        return height === undefined ? [] : [CardanoChain.koiosBlock(CardanoChain.blockAt(height, seconds(now)))]
      })
    ),
    answered(calls.epochParams, ({ now }) => {
      const newest = CardanoChain.epochAt(seconds(now))
      return [newest - 1, newest].map((epoch) => CardanoParameters.shown(CardanoParameters.koiosParameters(epoch)))
    }),
    answered(calls.txCbor, ({ body }) =>
      (body._tx_hashes ?? []).flatMap((tx_hash) => {
        const included = histories.by(tx_hash)
        if (included !== undefined) return [koiosCbor(included)]
        const cbor = sent.cborOf(tx_hash)
        return cbor === undefined ? [] : [{ tx_hash, cbor }]
      })
    ),
    answered(calls.addressTxs, ({ body, query }) =>
      listed(histories, body._addresses?.[0] ?? "", body._after_block_height, query)
    ),
    answered(calls.accountTxs, ({ query }) =>
      listed(histories, query.get("_stake_address") ?? "", Number(query.get("_after_block_height") ?? 0), query)
    ),
    answered(calls.txInfo, ({ body }) =>
      (body._tx_hashes ?? []).flatMap((hash) => {
        const transaction = histories.by(hash)
        return transaction === undefined ? [] : [koiosRow(transaction)]
      })
    ),
    answered(calls.addressInfo, ({ body }) =>
      inUse(body._addresses).map((address) => ({ address, balance: String(World.native(facts, address)) }))
    ),
    answered(calls.accountInfo, ({ body }) =>
      inUse(body._stake_addresses).map((stake_address) => {
        const { rewards, total, utxo } = account(facts, stake_address)
        return { stake_address, total_balance: total, utxo, rewards_available: rewards }
      })
    ),
    answered(calls.addressUtxos, ({ body }) => unspent(body._addresses)),
    answered(calls.accountUtxos, ({ body }) => unspent(body._stake_addresses)),
    answered(calls.addressAssets, ({ body }) =>
      inUse(body._addresses).flatMap((address) => balancesOf(address).map((row) => ({ address, ...row })))
    ),
    answered(calls.accountAssets, ({ body }) =>
      inUse(body._stake_addresses).flatMap((stake_address) =>
        balancesOf(stake_address).map((row) => ({ stake_address, ...row }))
      )
    ),
    answered(calls.assetInfo, ({ body }) =>
      World.contractsOn(facts.platform)
        .filter(({ address }) => body._asset_list?.some((pair) => pair.join("") === address))
        .map((contract) => ({
          ...split(contract.address),
          token_registry_metadata: registered(contract),
          cip68_metadata: null,
          total_supply: "1000000000000000"
        }))
    )
  ]
}

/**
 * Only the upper height bound of PostgREST's `or` filter is read. The transactions of a block are listed in the order of
 * their hashes.
 */
const listed = (
  histories: CardanoLedger["histories"],
  holder: string,
  after: number | undefined,
  query: URLSearchParams
) => {
  const [, last = Number.POSITIVE_INFINITY] = /block_height\.lte\.(\d+)/.exec(query.get("or") ?? "") ?? []
  return histories
    .of(holder)
    .filter(({ height }) => (height ?? 0) >= (after ?? 0) && (height ?? 0) <= Number(last))
    .toSorted((a, b) => (b.height ?? 0) - (a.height ?? 0) || (a.hash < b.hash ? -1 : 1))
    .map(({ hash, height, time }) => ({
      tx_hash: hash,
      epoch_no: CardanoChain.epochAt(time),
      block_height: height,
      block_time: time
    }))
}

/** Rows in the order of PostgREST's `order`, such as `epoch_no.desc,tx_hash.asc`; in the order of the list without it. */
const ordered = (rows: ReadonlyArray<unknown>, order: string | null): ReadonlyArray<unknown> => {
  const columns = (order ?? "").split(",").map((part) => part.split("."))
  const value = (row: unknown, column: string) => (row as Readonly<Record<string, number | string>>)[column] ?? ""
  return order === null
    ? rows
    : rows.toSorted((a, b) => {
        const [column = "", direction] = columns.find(([name = ""]) => value(a, name) !== value(b, name)) ?? []
        return column === "" ? 0 : value(a, column) < value(b, column) === (direction === "desc") ? 1 : -1
      })
}

/** The page and the columns of rows that a query selects. */
const selected = (rows: ReadonlyArray<object>, query: URLSearchParams): ReadonlyArray<unknown> => {
  const offset = Number(query.get("offset") ?? 0)
  const limit = Math.min(Number(query.get("limit") ?? 1000), 1000)
  const all = ordered(rows, query.get("order")).slice(offset, offset + limit)
  const columns = query.get("select")?.split(",")
  return columns === undefined ? all : all.map((row) => Struct.pick(row as Record<string, unknown>, ...columns))
}

/** Assets in Koios' format. */
const koiosAssets = ({ assets = new Map() }: CardanoValue) =>
  Array.from(assets, ([unit, quantity]) => ({
    ...split(unit),
    fingerprint: fingerprintOf(unit),
    quantity: String(quantity)
  }))

const noScripts = { datum_hash: null, inline_datum: null, reference_script: null }

const koiosOutput = (output: CardanoOutput, txHash: string, index: number, isRare: boolean) => ({
  payment_addr: {
    bech32: output.address,
    cred: output.address.startsWith("addr1")
      ? Buffer.from(addressBytes(output.address).subarray(1, 29)).toString("hex")
      : null
  },
  stake_addr: output.account ?? null,
  tx_hash: txHash,
  tx_index: index,
  value: String(output.lovelace),
  ...noScripts,
  asset_list: isRare && output.assets === undefined ? null : koiosAssets(output)
})

const koiosPlace = ({ hash, height, time }: SimulatedTransaction) => ({
  tx_hash: hash,
  block_hash: blockHash(height),
  block_height: height,
  epoch_no: CardanoChain.epochAt(time),
  absolute_slot: CardanoChain.slotAt(time),
  tx_timestamp: time
})

/** Row of `tx_info`. */
const koiosRow = (simulated: SimulatedTransaction) => {
  const { certificate, deposit = 0n, exhibit, withdrawn } = simulated
  const koiosInput = (input: CardanoInput) => koiosOutput(input, input.txHash, input.index, exhibit !== undefined)
  return {
    ...koiosPlace(simulated),
    epoch_slot: CardanoChain.epochSlotAt(simulated.time),
    tx_block_index: simulated.index,
    tx_size: simulated.bytes.length,
    total_output: String(sumOf(simulated.outputs)),
    fee: String(simulated.fee),
    treasury_donation: "0",
    deposit: String(deposit),
    invalid_before: null,
    invalid_after: simulated.lastSlot === undefined ? null : String(simulated.lastSlot),
    inputs: simulated.inputs.map(koiosInput),
    outputs: simulated.outputs.map((output, index) =>
      koiosOutput(output, simulated.hash, index, exhibit !== undefined)
    ),
    collateral_inputs: simulated.collateral.map(koiosInput),
    collateral_output: null,
    reference_inputs: (simulated.references ?? []).map(koiosInput),
    withdrawals: withdrawn === undefined ? [] : [{ amount: String(withdrawn.lovelace), stake_addr: withdrawn.account }],
    assets_minted: simulated.minted === undefined ? [] : koiosAssets({ lovelace: 0n, assets: simulated.minted }),
    metadata: null,
    certificates: certificate === undefined ? [] : [{ index: 0, type: certificate.type, info: {} }],
    native_scripts: [],
    plutus_contracts: simulated.collateral.length === 0 ? [] : [{ valid_contract: simulated.valid }]
  }
}

/** Row of `tx_cbor`. */
const koiosCbor = (simulated: SimulatedTransaction) => ({
  ...koiosPlace(simulated),
  cbor: Buffer.from(simulated.bytes).toString("hex")
})

/** Rows of Koios' `address_utxos` and `account_utxos`. */
const koiosUnspent = (output: LedgerOutput, isRare: boolean) => ({
  tx_hash: output.txHash,
  tx_index: output.index,
  address: output.address,
  value: String(output.lovelace),
  datum_hash: null,
  inline_datum: null,
  reference_script: hasScript(output, isRare)
    ? { ...referenceScript, type: "plutusV3", bytes: "59", value: null }
    : null,
  // Koios returns null instead of an empty list for some outputs.
  asset_list: isRare && output.assets.size === 0 ? null : koiosAssets(output),
  is_spent: false
})
