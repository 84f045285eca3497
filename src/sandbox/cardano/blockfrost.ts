import * as Either from "effect/Either"
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
import { accountOf, type CardanoInput, type CardanoOutput, split } from "./cardanoRaw.ts"

const networkMagic = 764_824_073

/** Blockfrost, the preferred upstream; the real one requires a key. */
export const blockfrost =
  (ledger: CardanoLedger): Simulated =>
  ({ bytes = new Uint8Array(), now, path, query }) => {
    const { facts, histories, outputs, sent } = ledger
    if (path.endsWith("/epochs/latest/parameters"))
      return json(CardanoParameters.shown(CardanoParameters.blockfrostParameters(CardanoChain.epochAt(seconds(now)))))
    if (path.endsWith("/blocks/latest")) return json(newestBlock(now))
    if (path.endsWith("/tx/submit"))
      return Either.match(sent.submit(bytes, now), {
        onLeft: (refusal) => json({ error: "Bad Request", message: JSON.stringify(refusal), status_code: 400 }, 400),
        onRight: (id) => json(id)
      })
    const [, kind, id = "", , what] =
      /\/(addresses|accounts|assets|genesis|scripts|txs)(?:\/([^/]+))?(\/(.+))?$/.exec(path) ?? []
    const amounts = () =>
      assetsOf(facts, id).map(({ decimals, quantity, unit }) => ({
        unit,
        quantity,
        ...(kind === "addresses" ? { decimals, has_nft_onchain_metadata: false } : {})
      }))
    if (kind === "genesis") return json({ network_magic: networkMagic })
    if (kind === "scripts") return blockfrostScript(id) ?? notFound()
    if (kind === "txs" && what === "cbor") {
      const included = histories.by(id)
      const cbor = included === undefined ? sent.cborOf(id) : Buffer.from(included.bytes).toString("hex")
      return cbor === undefined ? notFound() : json({ cbor })
    }
    if (kind === "txs") {
      const transaction = histories.by(id)
      if (transaction === undefined) return notFound()
      if (what === "withdrawals") return json(blockfrostWithdrawals(transaction))
      return json(what === "utxos" ? blockfrostUtxos(transaction) : blockfrostContent(transaction))
    }
    if (kind === "assets") {
      const contract = World.contractsOn(facts.platform).find(({ address }) => address === id)
      return contract === undefined
        ? notFound()
        : json({ asset: id, ...split(id), metadata: registered(contract), onchain_metadata: null })
    }
    if (kind === undefined || !used(facts, id)) return notFound()
    if (what === "utxos") {
      const toRow = blockfrostUnspent(id === Landmarks.museum(facts))
      return paged(outputs.of(id, spendable(facts, id)).map(toRow), query)
    }
    if (what === "addresses/assets") return paged(amounts(), query)
    if (what === "transactions") {
      const last = Number(query.get("to") ?? Number.POSITIVE_INFINITY)
      const all = histories.of(id).filter(({ height }) => (height ?? 0) <= last)
      return paged(
        all.toReversed().map(({ hash, height, index, time }) => ({
          tx_hash: hash,
          tx_index: index,
          block_height: height,
          block_time: time
        })),
        query
      )
    }
    if (kind === "accounts") {
      const { rewards, total } = account(facts, id)
      return json({ stake_address: id, controlled_amount: total, withdrawable_amount: rewards })
    }
    const lovelace = { unit: "lovelace", quantity: String(World.native(facts, id)), decimals: facts.native.decimals }
    return json({
      address: id,
      amount: [lovelace, ...amounts()],
      stake_address: accountOf(id),
      type: "shelley",
      script: false
    })
  }

/** A page of Blockfrost's lists, from 1: the oldest 100 rows by default, at most 100. */
const paged = (oldestFirst: ReadonlyArray<unknown>, query: URLSearchParams): Response => {
  const [count, page] = [Number(query.get("count") ?? 100), Number(query.get("page") ?? 1)]
  const isValid = (value: number, most: number) => Number.isInteger(value) && value >= 1 && value <= most
  if (!isValid(count, 100) || !isValid(page, 21_474_836)) {
    const message = `querystring/${isValid(page, 21_474_836) ? "count" : "page"} must be an integer in its range`
    return json({ error: "Bad Request", message, status_code: 400 }, 400)
  }
  const all = query.get("order") === "desc" ? oldestFirst.toReversed() : oldestFirst
  return json(all.slice((page - 1) * count, page * count))
}

const notFound = () =>
  json({ status_code: 404, error: "Not Found", message: "The requested component has not been found." }, 404)

/** Coins and assets in Blockfrost's format. */
const blockfrostAmount = ({ assets = new Map(), lovelace }: CardanoValue) =>
  Array.from([["lovelace", lovelace] as const, ...assets], ([unit, quantity]) => ({ unit, quantity: String(quantity) }))

const blockfrostOutput = (output: CardanoOutput) => ({
  address: output.address,
  amount: blockfrostAmount(output),
  data_hash: null,
  inline_datum: null,
  reference_script_hash: null
})

/** `/txs/{hash}` and `/txs/{hash}/utxos`. */
const blockfrostContent = (simulated: SimulatedTransaction) => ({
  hash: simulated.hash,
  block: blockHash(simulated.height),
  block_height: simulated.height,
  block_time: simulated.time,
  slot: CardanoChain.slotAt(simulated.time),
  index: simulated.index,
  output_amount: blockfrostAmount(totalOf(simulated.outputs)),
  fees: String(simulated.fee),
  deposit: String(simulated.deposit ?? 0n),
  size: simulated.bytes.length,
  invalid_before: null,
  invalid_hereafter: simulated.lastSlot === undefined ? null : String(simulated.lastSlot),
  utxo_count: simulated.inputs.length + simulated.outputs.length,
  withdrawal_count: simulated.withdrawn === undefined ? 0 : 1,
  mir_cert_count: 0,
  delegation_count: simulated.certificate?.type === "pool_delegation" ? 1 : 0,
  stake_cert_count: simulated.deposit === undefined ? 0 : 1,
  pool_update_count: 0,
  pool_retire_count: 0,
  asset_mint_or_burn_count: simulated.minted?.size ?? 0,
  redeemer_count: simulated.collateral.length,
  valid_contract: simulated.valid,
  treasury_donation: "0"
})

const totalOf = (outputs: ReadonlyArray<CardanoOutput>): CardanoValue => {
  const assets = new Map<string, bigint>()
  for (const [unit, quantity] of outputs.flatMap((output) => [...(output.assets ?? [])]))
    assets.set(unit, (assets.get(unit) ?? 0n) + quantity)
  return { lovelace: sumOf(outputs), assets }
}

const blockfrostInput = (input: CardanoInput, collateral: boolean, reference = false) => ({
  tx_hash: input.txHash,
  output_index: input.index,
  ...blockfrostOutput(input),
  collateral,
  reference
})

const blockfrostWithdrawals = ({ withdrawn }: SimulatedTransaction) =>
  withdrawn === undefined ? [] : [{ address: withdrawn.account, amount: String(withdrawn.lovelace) }]

const blockfrostUtxos = ({ collateral, hash, inputs, outputs, references = [], valid }: SimulatedTransaction) => ({
  hash,
  inputs: [
    ...inputs.map((input) => blockfrostInput(input, !valid)),
    ...(valid ? collateral : []).map((input) => blockfrostInput(input, true)),
    ...references.map((input) => blockfrostInput(input, false, true))
  ],
  outputs: outputs.map((output, output_index) => ({
    ...blockfrostOutput(output),
    output_index,
    collateral: !valid,
    consumed_by_tx: null
  }))
})
/** The script as Blockfrost returns it; undefined for the hash of another one. */
const blockfrostScript = (hash: string): Response | undefined =>
  hash === referenceScript.hash
    ? json({ script_hash: hash, type: "plutusV3", serialised_size: referenceScript.size })
    : undefined

/** Rows of Blockfrost's `/addresses/{address}/utxos`. */
const blockfrostUnspent = (isRare: boolean) => (output: LedgerOutput) => ({
  address: output.address,
  tx_hash: output.txHash,
  output_index: output.index,
  amount: blockfrostAmount(output),
  data_hash: null,
  inline_datum: null,
  reference_script_hash: hasScript(output, isRare) ? referenceScript.hash : null
})
