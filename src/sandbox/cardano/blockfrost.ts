import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as calls from "../../chains/cardano/providers/blockfrost/calls.ts"
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
import { accountOf, type CardanoInput, type CardanoOutput, split } from "./cardanoRaw.ts"

/** Blockfrost, the preferred upstream; the real one requires a key. */
export const blockfrost = (ledger: CardanoLedger): Simulated => {
  const answers = answersOf(ledger)
  return (request) => {
    const { bytes = new Uint8Array(), now, path, query } = request
    if (path.endsWith(calls.submit.path))
      return Either.match(ledger.sent.submit(bytes, now), {
        onLeft: (refusal) => json({ error: "Bad Request", message: JSON.stringify(refusal), status_code: 400 }, 400),
        onRight: (id) => json(id)
      })
    const answer = Option.getOrUndefined(answerOf(answers, request))
    if (answer === undefined) return notFound()
    return Array.isArray(answer) ? paged(answer, query) : json(answer)
  }
}

const answersOf = (ledger: CardanoLedger): ReadonlyArray<Answered> => [
  answered(calls.genesis, () => ({ network_magic: 764_824_073 as const })),
  answered(calls.parameters, ({ now }) =>
    CardanoParameters.shown(CardanoParameters.blockfrostParameters(CardanoChain.epochAt(seconds(now))))
  ),
  answered(calls.newestBlock, ({ now }) => newestBlock(now)),
  answered(calls.script, ({ parameters: { hash } }) => blockfrostScript(hash)),
  answered(calls.asset, ({ parameters: { unit } }) => {
    const contract = World.contractsOn(ledger.facts.platform).find(({ address }) => address === unit)
    return (
      contract && {
        asset: unit,
        ...split(unit),
        metadata: registered(contract),
        onchain_metadata: null,
        onchain_metadata_standard: null,
        quantity: "1000000000000000"
      }
    )
  }),
  ...addressAnswers(ledger),
  ...transactionAnswers(ledger)
]

interface OfAddress {
  readonly parameters: { readonly address: string }
  readonly query: URLSearchParams
}

const addressAnswers = ({ facts, histories, outputs }: CardanoLedger): ReadonlyArray<Answered> => {
  /** Answers about an address that is in use. */
  const about =
    <A>(answer: (address: string, query: URLSearchParams) => A) =>
    ({ parameters: { address }, query }: OfAddress) =>
      used(facts, address) ? answer(address, query) : undefined
  const unspent = about((address) =>
    outputs.of(address, spendable(facts, address)).map(blockfrostUnspent(address === Landmarks.museum(facts)))
  )
  const transactions = about((address, query) => {
    const last = Number(query.get("to") ?? Number.POSITIVE_INFINITY)
    const all = histories.of(address).filter(({ height }) => (height ?? 0) <= last)
    return all.toReversed().map(({ hash, height, index, time }) => ({
      tx_hash: hash,
      tx_index: index,
      block_height: height,
      block_time: time
    }))
  })
  const coinsOf = (address: string) => ({
    unit: "lovelace",
    quantity: String(World.native(facts, address)),
    decimals: facts.native.decimals
  })
  return [
    answered(
      calls.address,
      about((address) => ({
        address,
        amount: [
          coinsOf(address),
          ...assetsOf(facts, address).map((balance) => ({ ...balance, has_nft_onchain_metadata: false }))
        ],
        stake_address: accountOf(address),
        type: "shelley",
        script: false
      }))
    ),
    answered(
      calls.account,
      about((stake_address) => {
        const { rewards, total } = account(facts, stake_address)
        return { stake_address, controlled_amount: total, withdrawable_amount: rewards }
      })
    ),
    answered(
      calls.accountAssets,
      about((address) => assetsOf(facts, address).map(({ quantity, unit }) => ({ unit, quantity })))
    ),
    answered(calls.addressUtxos, unspent),
    answered(calls.accountUtxos, unspent),
    answered(calls.addressTransactions, transactions),
    answered(calls.accountTransactions, transactions)
  ]
}

const transactionAnswers = ({ histories, sent }: CardanoLedger): ReadonlyArray<Answered> => {
  /** Answers about a transaction in a block. */
  const about =
    <A>(answer: (transaction: SimulatedTransaction) => A) =>
    ({ parameters: { hash } }: { readonly parameters: { readonly hash: string } }) => {
      const transaction = histories.by(hash)
      return transaction && answer(transaction)
    }
  return [
    answered(calls.transaction, about(blockfrostContent)),
    answered(calls.utxos, about(blockfrostUtxos)),
    answered(calls.withdrawals, about(blockfrostWithdrawals)),
    answered(calls.cbor, ({ parameters: { hash } }) => {
      const included = histories.by(hash)
      const cbor = included === undefined ? sent.cborOf(hash) : Buffer.from(included.bytes).toString("hex")
      return cbor === undefined ? undefined : { cbor }
    })
  ]
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
const blockfrostScript = (hash: string) =>
  hash === referenceScript.hash
    ? { script_hash: hash, type: "plutusV3", serialised_size: referenceScript.size }
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
