import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Struct from "effect/Struct"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { parse, type Submission } from "../../chains/cardano/CardanoTransaction.ts"
import { fingerprintOf } from "../../chains/cardano/providers/koios/KoiosAsset.ts"
import { usedAddresses } from "../../chains/cardano/providers/koios/KoiosBalances.ts"
import { numberOf } from "../../domain/units.ts"
import * as Landmarks from "../world/Landmarks.ts"
import { remembered } from "../world/memoized.ts"
import * as Submit from "../world/Submit.ts"
import * as World from "../world/World.ts"
import { json, type Simulated } from "../world/wire.ts"
import * as CardanoChain from "./CardanoChain.ts"
import * as CardanoHistory from "./CardanoHistory.ts"
import * as CardanoOutputs from "./CardanoOutputs.ts"
import * as CardanoParameters from "./CardanoParameters.ts"
import { unlistedAssets } from "./cardanoMuseum.ts"
import { accountOf, type SerialisedCardano, split } from "./cardanoRaw.ts"

const refusal = (tag: string, contents: unknown) => ({ tag: "TxSubmitFail", contents: { tag, contents } })

/** Response of `cardano-submit-api`: the transaction id or the error. */
type Submitted = Either.Either<string, ReturnType<typeof refusal>>

const unreadable = refusal("TxCmdTxReadError", [
  'DecoderErrorDeserialiseFailure "Shelley Tx" (DeserialiseFailure 0 "expected list len or indef")'
])

const invalid = (error: string) =>
  refusal("TxCmdTxSubmitValidationError", {
    tag: "TxValidationErrorInCardanoMode",
    contents: { kind: "ShelleyTxValidationError", error: [error], era: "ShelleyBasedEraConway" }
  })

const ruled = (problem: string) => invalid(`ConwayUtxowFailure (UtxoFailure (${problem}))`)

const known = invalid('ConwayMempoolFailure "All inputs are spent. Transaction has probably already been included"')

interface SentTransaction extends Submit.SignedEvent {
  readonly judged: CardanoOutputs.ValidTransaction
}

/** Converts a transaction to an event. The net changes of its addresses already include the fee. */
const eventOf = (
  facts: NetworkFacts,
  { bytes, id, ttl: lastSlot }: Submission,
  judged: CardanoOutputs.ValidTransaction
): SentTransaction => {
  const { fee, inputs, outputs, validUntil } = judged
  const extra = Submit.movementsBetween(inputs, outputs, ({ address, assets, holder: to = address, lovelace }) => [
    { to, amount: lovelace },
    ...[...assets].flatMap(([unit, amount]) => {
      const contract = World.contractsOn(facts.platform).find((token) => token.address === unit)
      return contract === undefined ? [] : [{ to, amount, contract }]
    })
  ])
  const parts = {
    fee,
    valid: true,
    inputs,
    outputs,
    collateral: [],
    ...(lastSlot === undefined ? {} : { lastSlot: numberOf(lastSlot) })
  }
  const details: SerialisedCardano = { ...parts, hash: id, bytes }
  const from = inputs[0]?.holder ?? inputs[0]?.address ?? ""
  return { id, from, amount: 0n, extra, details, judged, ...(validUntil === undefined ? {} : { validUntil }) }
}

/** Mempool and chain. A sent transaction is available immediately; sending it again is rejected. */
const poolOf = (facts: NetworkFacts, ledger: ReturnType<typeof CardanoOutputs.outputs>) => {
  const sent = remembered<Submission>()
  const { enter, find } = Submit.mempool<SentTransaction, ReturnType<typeof refusal>>(facts, {
    refusal: (problem) => (problem === "expired" ? ruled("OutsideValidityIntervalUTxO") : known),
    check: (signed) =>
      ledger.accept(signed.id, signed.judged) ? Either.right(signed) : Either.left(ruled("BadInputsUTxO")),
    nextBlock: (now) => 20_000 * (Math.floor(now / 20_000) + 1)
  })
  return {
    submit: (bytes: Uint8Array, now: number): Submitted =>
      Either.gen(function* () {
        const submission = yield* Either.mapLeft(parse(Buffer.from(bytes).toString("hex")), () => unreadable)
        const { id } = submission
        // No block will have a transaction of other outputs than those of the ledger, so the mempool does not keep it.
        if (find(id) !== undefined) return yield* Either.left(known)
        const judged = yield* Either.mapLeft(ledger.judge(submission), ruled)
        if (judged !== undefined) yield* enter(eventOf(facts, submission, judged), now)
        sent.set(id, submission)
        return id
      }),
    senderOf: (id: string): string | undefined => find(id)?.signed.from,
    /** CBOR of a sent transaction in hexadecimal digits. */
    cborOf: (id: string): string | undefined => {
      const found = sent.get(id)
      return found && Buffer.from(found.bytes).toString("hex")
    }
  }
}

type CardanoPool = ReturnType<typeof poolOf>

// The simulated Cardano indexers, each with its own response format.

/** State of the simulated ledger. */
interface CardanoLedger {
  readonly facts: NetworkFacts
  readonly histories: ReturnType<typeof CardanoHistory.histories>
  readonly sent: CardanoPool
  readonly outputs: ReturnType<typeof CardanoOutputs.outputs>
}

/** Lovelace in outputs; the rewards of an account are not included. */
const spendable = (facts: NetworkFacts, address: string) =>
  address.startsWith("stake1") ? BigInt(account(facts, address).utxo) : World.native(facts, address)

/** Entry of an asset in the token registry. */
const registered = ({ coin, decimals }: World.Contract) => ({
  name: coin.name,
  ticker: coin.symbol.toUpperCase(),
  decimals
})

/** `decimals` is null for assets that are in no registry. */
const assetsOf = (facts: NetworkFacts, address: string) => {
  const others = Array.from(unlistedAssets(facts, address), ([unit, quantity]) => ({
    unit,
    decimals: null,
    quantity: String(quantity)
  }))
  const registered = World.contractsOn(facts.platform).flatMap(({ address: unit, decimals, ...contract }) => {
    const quantity = World.tokenBalance(facts, { address: unit, decimals, ...contract }, address)
    return quantity === 0n ? [] : [{ unit, decimals, quantity: String(quantity) }]
  })
  // The second and the last page of Blockfrost have registered assets.
  return [...others.slice(0, 150), ...registered.slice(0, 1), ...others.slice(150), ...registered.slice(1)]
}

/** Two thirds of an account's coins are at its addresses; the rest are rewards. */
const account = (facts: NetworkFacts, address: string) => {
  const total = World.native(facts, address)
  const rewards = total / 3n
  return { total: String(total), rewards: String(rewards), utxo: String(total - rewards) }
}

const used = (facts: NetworkFacts, address: string) =>
  usedAddresses.includes(address) || World.native(facts, address) > 0n

const seconds = (now: number) => Math.floor(now / 1000)

const newestBlock = (now: number) => CardanoChain.blockAt(CardanoChain.heightAt(seconds(now)), seconds(now))

interface CardanoRequest {
  readonly _addresses?: ReadonlyArray<string>
  readonly _stake_addresses?: ReadonlyArray<string>
  readonly _after_block_height?: number
  readonly _tx_hashes?: ReadonlyArray<string>
  readonly _block_hashes?: ReadonlyArray<string>
  readonly _asset_list?: ReadonlyArray<ReadonlyArray<string>>
}

const parsed = Option.liftThrowable((body: string): CardanoRequest => JSON.parse(body))

/** A request to Koios; `addresses` are the requested addresses that are in use. */
interface KoiosRequest extends CardanoLedger {
  readonly request: CardanoRequest
  readonly addresses: ReadonlyArray<string>
  readonly now: number
  readonly query: URLSearchParams
}

const assetRows = (facts: NetworkFacts, addresses: ReadonlyArray<string>, owner: string) =>
  addresses.flatMap((address) =>
    assetsOf(facts, address).map(({ decimals, quantity, unit }) => ({
      [owner]: address,
      ...split(unit),
      fingerprint: fingerprintOf(unit),
      // Koios returns 0 for unknown decimals.
      decimals: decimals ?? 0,
      quantity
    }))
  )

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

const unspent = ({ addresses, facts, outputs }: KoiosRequest) =>
  addresses.flatMap((address) =>
    outputs
      .of(address, spendable(facts, address))
      .map((output) => CardanoOutputs.koiosOutput(output, address === Landmarks.museum(facts)))
  )

/** Rows by endpoint. */
const rows: Readonly<Record<string, (call: KoiosRequest) => ReadonlyArray<unknown>>> = {
  tip: ({ now }) => [CardanoChain.koiosTip(newestBlock(now))],
  block_info: ({ now, request }) =>
    (request._block_hashes ?? []).flatMap((hash) => {
      const height = CardanoChain.heightOf(hash)
      return height === undefined ? [] : [CardanoChain.koiosBlock(CardanoChain.blockAt(height, seconds(now)))]
    }),
  epoch_params: ({ now }) => {
    const newest = CardanoChain.epochAt(seconds(now))
    return [newest - 1, newest].map((epoch) => CardanoParameters.shown(CardanoParameters.koiosParameters(epoch)))
  },
  tx_cbor: (call) =>
    (call.request._tx_hashes ?? []).flatMap((tx_hash) => {
      const included = call.histories.by(tx_hash)
      if (included !== undefined) return [CardanoHistory.koiosCbor(included)]
      const cbor = call.sent.cborOf(tx_hash)
      return cbor === undefined ? [] : [{ tx_hash, cbor }]
    }),
  address_txs: ({ histories, query, request }) =>
    listed(histories, request._addresses?.[0] ?? "", request._after_block_height, query),
  account_txs: ({ histories, query }) =>
    listed(histories, query.get("_stake_address") ?? "", Number(query.get("_after_block_height") ?? 0), query),
  tx_info: ({ histories, request }) =>
    (request._tx_hashes ?? []).flatMap((hash) => {
      const transaction = histories.by(hash)
      return transaction === undefined ? [] : [CardanoHistory.koiosRow(transaction)]
    }),
  address_info: ({ addresses, facts }) =>
    addresses.map((address) => ({ address, balance: String(World.native(facts, address)) })),
  account_info: ({ addresses, facts }) =>
    addresses.map((address) => {
      const { rewards, total, utxo } = account(facts, address)
      return { stake_address: address, total_balance: total, utxo, rewards_available: rewards }
    }),
  address_utxos: unspent,
  account_utxos: unspent,
  address_assets: ({ addresses, facts }) => assetRows(facts, addresses, "address"),
  account_assets: ({ addresses, facts }) => assetRows(facts, addresses, "stake_address"),
  asset_info: ({ facts, request }) =>
    World.contractsOn(facts.platform)
      .filter(({ address }) => request._asset_list?.some((pair) => pair.join("") === address))
      .map((contract) => ({
        ...split(contract.address),
        token_registry_metadata: registered(contract),
        cip68_metadata: null
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

/** Koios, which needs no key. */
const koios =
  (ledger: CardanoLedger): Simulated =>
  ({ body, bytes = new Uint8Array(), now, path, query }) => {
    const endpoint = path.split("/").at(-1) ?? ""
    if (endpoint === "submittx")
      return Either.match(ledger.sent.submit(bytes, now), {
        onLeft: (refusal) => json(refusal, 400),
        onRight: (id) => json(id, 202)
      })
    const read = Object.hasOwn(rows, endpoint) ? rows[endpoint] : undefined
    if (read === undefined)
      return json({ code: "PGRST202", details: null, hint: null, message: "Could not find the function" }, 404)
    const request = Option.getOrElse(parsed(body), (): CardanoRequest => ({}))
    const addresses = (request._addresses ?? request._stake_addresses ?? []).filter((text) => used(ledger.facts, text))
    const offset = Number(query.get("offset") ?? 0)
    const limit = Math.min(Number(query.get("limit") ?? 1000), 1000)
    const found = read({ ...ledger, request, addresses, now, query })
    const all = ordered(found, query.get("order")).slice(offset, offset + limit)
    const columns = query.get("select")?.split(",")
    return json(columns === undefined ? all : all.map((row) => Struct.pick(row as Record<string, unknown>, ...columns)))
  }

const networkMagic = 764_824_073

/** Blockfrost, the preferred upstream; the real one requires a key. */
const blockfrost =
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
    if (kind === "scripts") return CardanoOutputs.blockfrostScript(id) ?? notFound()
    if (kind === "txs" && what === "cbor") {
      const included = histories.by(id)
      const cbor = included === undefined ? sent.cborOf(id) : CardanoHistory.koiosCbor(included).cbor
      return cbor === undefined ? notFound() : json({ cbor })
    }
    if (kind === "txs") {
      const transaction = histories.by(id)
      if (transaction === undefined) return notFound()
      if (what === "withdrawals") return json(CardanoHistory.blockfrostWithdrawals(transaction))
      return json(
        what === "utxos" ? CardanoHistory.blockfrostUtxos(transaction) : CardanoHistory.blockfrostContent(transaction)
      )
    }
    if (kind === "assets") {
      const contract = World.contractsOn(facts.platform).find(({ address }) => address === id)
      return contract === undefined
        ? notFound()
        : json({ asset: id, ...split(id), metadata: registered(contract), onchain_metadata: null })
    }
    if (kind === undefined || !used(facts, id)) return notFound()
    if (what === "utxos") {
      const toRow = CardanoOutputs.blockfrostOutput(id === Landmarks.museum(facts))
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

/** Simulated upstreams of Cardano. */
export const cardano = (facts: NetworkFacts): ReadonlyArray<readonly [name: string, upstream: Simulated]> => {
  const outputs = CardanoOutputs.outputs(facts)
  const sent = poolOf(facts, outputs)
  const ledger = { facts, histories: CardanoHistory.histories(facts, sent.senderOf), outputs, sent }
  return [
    ["koios", koios(ledger)],
    ["blockfrost", blockfrost(ledger)]
  ]
}
