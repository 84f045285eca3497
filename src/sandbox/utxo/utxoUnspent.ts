import * as Either from "effect/Either"
import * as UtxoAddress from "../../chains/utxo/UtxoAddress.ts"
import { json, type SimulatedRequest } from "../world/wire.ts"
import * as UtxoChain from "./UtxoChain.ts"
import { locking, raw } from "./utxoRaw.ts"

// Unspent outputs of an address in the format of each kind of indexer.

interface ListedOutput {
  readonly txid: string
  readonly vout: number
  readonly address: string
  readonly value: bigint
  readonly height: number | undefined
  readonly time: number
  readonly coinbase: boolean
}

/** Height of the latest block at a time in ms. All simulated networks have a block every ten minutes. */
export const heightAt = (now: number) => Math.floor(now / 1000 / 600)

/** Time of the latest block, UNIX seconds. */
export const timeAt = (now: number) => heightAt(now) * 600

/**
 * Outputs of the newest transactions that add up to exactly the balance. An older transaction, which no list contains,
 * provides the rest.
 */
const unspentOf = (past: UtxoChain.Past, holder: string): ReadonlyArray<ListedOutput> => {
  const { facts } = past
  const { arriving, leaving, received, spent } = UtxoChain.accountOf(facts, holder)
  const own = new Set(UtxoChain.addressesOf(facts, holder))
  let left = received - spent + arriving - leaving
  const all = past.of(holder)
  const spends = new Set(all.flatMap(({ inputs }) => inputs.map(({ hash, index }) => `${hash}:${index}`)))
  const listed = all.flatMap(({ hash, height, inputs, outputs, time }) =>
    outputs.flatMap(({ address, amount }, vout): ReadonlyArray<ListedOutput> => {
      if (address === undefined || !own.has(address) || amount === 0n || amount > left) return []
      if (spends.has(`${hash}:${vout}`)) return []
      left -= amount
      return [{ txid: hash, vout, address, value: amount, height, time, coinbase: inputs.length === 0 }]
    })
  )
  const [address = holder] = own
  if (left <= 0n) return listed
  const [oldest] = all.filter(({ height }) => height !== undefined).slice(-1)
  const height = (oldest?.height ?? 1_000) - 1
  const older = past.older(raw(facts, height, [], [{ address, amount: left }]))
  return [...listed, { txid: older, vout: 0, address, value: left, height, time: height * 600, coinbase: true }]
}

type UnspentCall = (past: UtxoChain.Past, request: SimulatedRequest) => Response | undefined

const canonical = (past: UtxoChain.Past, text: string) =>
  UtxoAddress.parse(past.facts)(decodeURIComponent(text)).pipe(Either.getOrUndefined)

/** Unspent outputs of the address that a pattern extracts from the path; undefined without a valid address. */
const outputsIn = (past: UtxoChain.Past, path: string, pattern: RegExp) => {
  const [, text] = pattern.exec(path) ?? []
  const address = text === undefined ? undefined : canonical(past, text)
  return address === undefined ? undefined : { address, outputs: unspentOf(past, address) }
}

const esplora: UnspentCall = (past, { now, path }) => {
  if (path.endsWith("/blocks/tip/hash")) return new Response(heightAt(now).toString(16).padStart(64, "0"))
  if (/\/block\/[0-9a-f]{64}$/.test(path)) return json({ height: heightAt(now), timestamp: timeAt(now) })
  if (path.endsWith("/blocks/tip/height")) return new Response(String(heightAt(now)))
  const found = outputsIn(past, path, /\/address\/([^/]+)\/utxo$/)
  return (
    found &&
    json(
      found.outputs.map(({ height, time, txid, value, vout }) => ({
        txid,
        vout,
        value: Number(value),
        status:
          height === undefined ? { confirmed: false } : { confirmed: true, block_height: height, block_time: time }
      }))
    )
  )
}

const blockbook: UnspentCall = (past, { now, path }) => {
  if (path.endsWith("/api/v2"))
    return json({ blockbook: { bestHeight: heightAt(now), lastBlockTime: new Date(1000 * timeAt(now)).toISOString() } })
  const found = outputsIn(past, path, /\/api\/v2\/utxo\/([^/]+)$/)
  return (
    found &&
    json(
      found.outputs.map(({ address, coinbase, height, txid, value, vout }, index) => ({
        txid,
        vout,
        value: String(value),
        ...(height === undefined ? { confirmations: 0 } : { height, confirmations: heightAt(now) - height + 1 }),
        ...(coinbase ? { coinbase } : {}),
        ...(found.address === address ? {} : { address, path: `m/84'/2'/0'/0/${index}` })
      }))
    )
  )
}

const haskoin: UnspentCall = (past, { now, path }) => {
  if (path.endsWith("/block/best")) return json({ height: heightAt(now), time: timeAt(now) })
  const counted = outputsIn(past, path, /\/address\/([^/]+)\/balance$/)
  if (counted !== undefined) return json({ address: counted.address, utxo: counted.outputs.length })
  const found = outputsIn(past, path, /\/address\/([^/]+)\/unspent$/)
  return (
    found &&
    json(
      found.outputs.map(({ address, coinbase, height, time, txid, value, vout }) => ({
        address,
        block: height === undefined ? { mempool: time } : { height, position: coinbase ? 0 : 1 },
        txid,
        index: vout,
        pkscript: locking(past.facts, address).toString("hex"),
        value: Number(value)
      }))
    )
  )
}

const blockcypher: UnspentCall = (past, { now, path, query }) => {
  if (query.get("unspentOnly") !== "true") return undefined
  const found = outputsIn(past, path, /\/addrs\/([^/]+)$/)
  const row = ({ address, height, txid, value, vout }: ListedOutput) => ({
    tx_hash: txid,
    block_height: height ?? -1,
    tx_input_n: -1,
    tx_output_n: vout,
    value: Number(value),
    confirmations: height === undefined ? 0 : heightAt(now) - height + 1,
    script: locking(past.facts, address).toString("hex")
  })
  return (
    found &&
    json({
      address: found.address,
      txrefs: found.outputs.filter(({ height }) => height !== undefined).map(row),
      unconfirmed_txrefs: found.outputs.filter(({ height }) => height === undefined).map(row)
    })
  )
}

/** Handlers of requests for unspent outputs and the latest block, by kind of upstream; undefined for other requests. */
export const unspentCalls: Readonly<Record<string, UnspentCall>> = { blockbook, blockcypher, esplora, haskoin }
