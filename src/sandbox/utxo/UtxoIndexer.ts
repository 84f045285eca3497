import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as UtxoAddress from "../../chains/utxo/UtxoAddress.ts"
import { type Answered, answerOf } from "../world/answers.ts"
import * as Landmarks from "../world/Landmarks.ts"
import { randomOf } from "../world/World.ts"
import { json, type Simulated } from "../world/wire.ts"
import * as UtxoChain from "./UtxoChain.ts"
import type { Pool } from "./UtxoPool.ts"
import { type Input, raw } from "./utxoRaw.ts"

// Parts common to all indexers of the Bitcoin family.

/** The simulated chain with the transactions that were sent. */
export interface UtxoLedger {
  readonly past: UtxoChain.Past
  readonly pool: Pool
}

/** An indexer with these answers. Text is written unchanged, everything else as JSON. */
export const answering =
  (answers: ReadonlyArray<Answered>): Simulated =>
  (request) => {
    const answer = Option.getOrUndefined(answerOf(answers, request))
    if (answer === undefined) return json({ error: "not found" }, 404)
    if (answer instanceof Response) return answer
    return typeof answer === "string" ? new Response(answer) : written(answer)
  }

/** The state of an address, with its transactions (newest first) and its unspent outputs. */
const accountIn = (past: UtxoChain.Past, text = "") =>
  Either.map(UtxoAddress.parse(past.facts)(decodeURIComponent(text)), (address) => ({
    address,
    isMuseum: address === Landmarks.museum(past.facts),
    ...UtxoChain.accountOf(past.facts, address),
    listed: () => past.of(address),
    unspent: () => unspentOf(past, address)
  }))

export type Account = Either.Either.Right<ReturnType<typeof accountIn>>

/** The query of a request. */
export interface ListQuery {
  readonly query: URLSearchParams
  readonly now: number
}

interface AboutAddress extends ListQuery {
  readonly parameters: { readonly address: string }
}

/** Answers about an address; `invalid` refuses a malformed one. */
export const ofAddress =
  (past: UtxoChain.Past, invalid: (text: string) => Response) =>
  <A>(then: (account: Account, request: AboutAddress) => A) =>
  (request: AboutAddress): A | Response =>
    Either.match(accountIn(past, request.parameters.address), {
      onLeft: () => invalid(request.parameters.address),
      onRight: (account) => then(account, request)
    })

export type About = ReturnType<typeof ofAddress>

/** Answers about several addresses. A malformed address fails the whole request, as in reality. */
export const ofAddresses = <A>(
  past: UtxoChain.Past,
  texts: ReadonlyArray<string>,
  invalid: (text: string) => Response,
  then: (accounts: ReadonlyArray<Account>) => A
): A | Response =>
  Either.match(Either.all(texts.map((text) => accountIn(past, text))), { onLeft: () => invalid(""), onRight: then })

/** Writes JSON with bigints as integers of full precision. */
export const written = (body: unknown): Response => {
  const text = JSON.stringify(body, (_, value) => (typeof value === "bigint" ? `#${value}#` : value))
  return new Response(text.replace(/"#(-?\d+)#"/g, "$1"), { headers: { "content-type": "application/json" } })
}

/** Base units per 1,000 bytes for a confirmation within this number of blocks; changes every ten minutes. */
export const rateFor = (
  { now, past }: { readonly now: number; readonly past: UtxoChain.Past },
  blocks: number
): number => {
  const usual = 2_000 + Math.floor(8_000 * randomOf(past.facts.id, "fees", String(Math.floor(now / 600_000))))
  return 1_000 + Math.floor(usual / Math.max(blocks, 1))
}

export const number = ({ query }: Pick<ListQuery, "query">, name: string, fallback: number) =>
  Number(query.get(name) ?? fallback)

/** A page of a list: 100 rows by default. */
export const page = <A>(all: ReadonlyArray<A>, request: ListQuery, most: number, usual = 100): ReadonlyArray<A> => {
  const offset = number(request, "offset", 0)
  return all.slice(offset, offset + Math.min(most, number(request, "limit", usual)))
}

export const isConfirmed = ({ height }: Pick<UtxoChain.ChainTransaction, "height">) => height !== undefined

/** Transactions in blocks up to a height. */
export const upTo = (all: ReadonlyArray<UtxoChain.ChainTransaction>, max: number) =>
  all.filter(({ height }) => height !== undefined && height <= max)

export const confirmations = (height: number | undefined, now: number) =>
  height === undefined ? 0 : Math.max(1, heightAt(now) - height + 1)

export const noHash = "0".repeat(64)

/** A transaction's inputs, or the one of a coinbase transaction. */
export const inputsOf = <A, B>(
  { inputs }: UtxoChain.ChainTransaction,
  of: (input: Input, n: number) => A,
  coinbase: B
): Arr.NonEmptyReadonlyArray<A | B> => (Arr.isNonEmptyReadonlyArray(inputs) ? Arr.map(inputs, of) : [coinbase])

export interface ListedOutput {
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
export const unspentOf = (past: UtxoChain.Past, holder: string): ReadonlyArray<ListedOutput> => {
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
