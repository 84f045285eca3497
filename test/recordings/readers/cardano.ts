import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { orNone, refusal } from "../../../src/chains/cardano/providers/blockfrost/reading.ts"
import { blockfrostParameters, koiosParameters } from "../../../src/sandbox/cardano/CardanoParameters.ts"
import * as Call from "../../../src/upstream/Call.ts"
import { koios, networkWithHeads as network, pathOf, payment, withBlockfrostKey } from "../../support/cardano.ts"
import { blockfrostOf, historyOf, koiosOf } from "../../support/cardanoHistory.ts"
import { type Exchange, exactText, replay } from "../../support/fixtures.ts"
import { rowsOf } from "../../support/histories.ts"
import { json, type Reply, refused, type SentRequest } from "../../support/http.ts"
import { responseTo, statusesWith } from "../../support/rawTransactions.ts"
import { settled } from "../../support/settled.ts"
import { type Read, responseOf } from "../table.ts"

export type Body = Readonly<Record<string, unknown>>
type Host = (request: SentRequest) => Reply

const environmentOf = (provider: string) => (provider === "koios" ? {} : withBlockfrostKey)
const hostsOf = (provider: string, host: Host) => ({ "koios.test": () => refused, [`${provider}.test`]: host })

/** Makes a call to Blockfrost; none if its object does not exist. */
export const atBlockfrost =
  <P, A, I>(call: Call.Call<string, P, unknown, A, I>, parameters: P): Read =>
  (recording) =>
    orNone(Call.decoding(call, parameters, { refusal }))(responseOf(recording))

/** The outputs of an address: their number, and index, coins and tokens of the largest. */
export const largest = (
  rows: ReadonlyArray<{ readonly index: number; readonly coins: bigint; readonly tokens?: ReadonlyArray<unknown> }>
) => [
  rows.length,
  ...rows
    .toSorted((output, other) => Number(other.coins - output.coins))
    .slice(0, 3)
    .map(({ coins, index, tokens = [] }) => [index, coins, ...tokens])
]

const historyAt = (provider: string, address: string, host: Host, limit = 10) =>
  Effect.gen(function* () {
    const built = yield* network(hostsOf(provider, host), undefined, environmentOf(provider))
    const part = yield* settled(historyOf(built, { address, limit }), "100 millis")
    return { ...part, calls: built.requests.length }
  })

type Part = Effect.Effect.Success<ReturnType<typeof historyAt>>

/** Each transaction in a line with its block and its place in the block, or what is missing. */
const linesOf = (address: string, { missing, transactions }: Part) => [
  ...rowsOf(address, transactions).map((line, index) => {
    const order = transactions[index]?.order ?? 0
    return `${line}, in ${Math.floor(order / 65_536)} at ${order % 65_536}`
  }),
  ...missing
]

/** The history of an address whose transactions are the recorded rows of Koios's `tx_info`. */
export const seenAtKoios =
  (address: string): Read =>
  (recording) => {
    const list = (recording.response.body as ReadonlyArray<Body>).map(({ block_height, tx_hash, tx_timestamp }) => ({
      tx_hash,
      block_height,
      block_time: tx_timestamp
    }))
    const host: Host = (request) => (pathOf(request) === "/tx_info" ? replay(recording) : json(list))
    return Effect.map(historyAt("koios", address, host), (part) => linesOf(address, part))
  }

interface Parts {
  readonly content: Body
  readonly utxos: Body
  readonly withdrawals?: unknown
}

/** The history of an address if Blockfrost returns this to all calls, and the number of calls. */
export const seenAtNone: Read = (recording) =>
  Effect.map(
    historyAt("blockfrost", payment(1), () => replay(recording)),
    (part) => [...linesOf(payment(1), part), part.calls]
  )

/** One transaction of Blockfrost as its holder sees it, from recorded parts and others; and the number of calls. */
export const seenAtBlockfrost =
  (
    address: string,
    partsOf: (...bodies: ReadonlyArray<Body>) => Parts = (content = {}, utxos = {}) => ({ content, utxos }),
    shown = (part: Part): ReadonlyArray<unknown> => linesOf(address, part)
  ): Read =>
  (...recordings) => {
    const { content, utxos, withdrawals = [] } = partsOf(...recordings.map(({ response }) => response.body as Body))
    const id = String(content.hash)
    const host: Host = (request) => {
      const path = pathOf(request)
      if (path.endsWith("/transactions"))
        return json([{ tx_hash: id, tx_index: 0, block_height: 1, block_time: content.block_time }])
      if (path === `/txs/${id}`) return json(content)
      return json(path.endsWith("/utxos") ? { ...utxos, hash: id } : withdrawals)
    }
    // Koios, which refuses, is called three times.
    return Effect.map(historyAt("blockfrost", address, host), (part) => [...shown(part), part.calls - 3])
  }

/** The hashes of the history of an address with a recorded list, newest first. */
export const listedAt =
  (provider: "blockfrost" | "koios", address: string, limit: number): Read =>
  (recording) => {
    const rows = recording.response.body as ReadonlyArray<{
      readonly tx_hash: string
      readonly tx_index?: number
      readonly block_height: number
    }>
    const paid = rows.map((row) => ({ hash: row.tx_hash, height: row.block_height, index: row.tx_index ?? 0 }))
    const others = (provider === "koios" ? koiosOf : blockfrostOf)(address, paid)
    const isList = (request: SentRequest) => /\/(address_txs|transactions)$/.test(pathOf(request))
    const newest = [...rows].sort((row, other) => other.block_height - row.block_height)
    const host: Host = (request) => (isList(request) ? json(newest) : others(request))
    return Effect.map(historyAt(provider, address, host, limit), ({ more, transactions }) => [
      more,
      ...transactions.map(({ hash }) => hash.slice(0, 8))
    ])
  }

export const signed = {
  transaction: "84a3008001800200a0f5f6",
  id: "36fdff68dfe3660f1ceea60f018a0fd7a83da13def229108794c397a879b0436"
}

const sendingOver = (provider: string, replies: { readonly blockfrost: Reply; readonly koios: Reply }) =>
  Effect.gen(function* () {
    const hosts = { "blockfrost.test": () => replies.blockfrost, "koios.test": () => replies.koios }
    const { rawTransactions, requests } = yield* network(hosts, undefined, environmentOf(provider))
    const send = rawTransactions?.prepareSend ?? (() => Either.left("cannot send"))
    return { prepared: Either.getOrThrow(send(signed.transaction)), requests }
  })

/** The verdict on a transaction, whether the response is returned unchanged, and its content type. */
export const sent =
  (provider: "blockfrost" | "koios"): Read =>
  (recording) =>
    Effect.gen(function* () {
      const reply = replay(recording)
      const { prepared, requests } = yield* sendingOver(provider, { blockfrost: reply, koios: reply })
      const { body, contentType, verdict } = yield* settled(responseTo(prepared))
      const { body: returned } = recording.response
      const isUnchanged = body === (typeof returned === "string" ? returned : JSON.stringify(returned))
      return [verdict, isUnchanged, contentType, requests.length]
    })

/** The verdict on a transaction whose status is this. */
export const sentAs =
  (provider: "blockfrost" | "koios", ...[status]: Parameters<typeof statusesWith>): Read =>
  (recording) =>
    Effect.gen(function* () {
      const reply = replay(recording)
      const { prepared } = yield* sendingOver(provider, { blockfrost: reply, koios: reply })
      return (yield* settled(responseTo(prepared, statusesWith(status)))).verdict
    })

/** Calls and results of the service after a failure of Blockfrost, which may also be that of Koios. */
export const afterFailure: Read = (recording: Exchange) =>
  Effect.gen(function* () {
    const alice = payment(1)
    const failure = replay(recording)
    const balanceOver = Effect.fnUntraced(function* (other: Host) {
      const { holdings, requests } = yield* network(
        { "blockfrost.test": () => failure, "koios.test": other },
        [],
        withBlockfrostKey
      )
      const [read = Either.right([])] = yield* settled(holdings([alice]))
      yield* settled(holdings([alice]))
      return { read, calls: requests.filter(({ url }) => url.host === "blockfrost.test").length }
    })
    const { read: failed } = yield* balanceOver(() => failure)
    const { calls: count, read } = yield* balanceOver(koios({ lovelace: { [alice]: 9n } }))
    const history = yield* Effect.either(historyAt("blockfrost", alice, () => failure))
    const parameters = yield* network(
      { "blockfrost.test": () => failure, "koios.test": () => json([koiosParameters(640)]) },
      undefined,
      withBlockfrostKey
    )
    const epoch = yield* settled(parameters.protocolParameters?.current ?? Effect.dieMessage("no parameters"))
    const sending = yield* sendingOver("blockfrost", { blockfrost: failure, koios: json(signed.id, { status: 202 }) })
    const sent = yield* settled(Effect.either(responseTo(sending.prepared)))
    return {
      reason: Either.match(failed, { onLeft: ({ reason }) => reason, onRight: () => "read" }),
      koios: Either.getOrThrow(read).map(({ amount }) => Either.getOrThrow(amount)),
      isCalledAgain: count > 1,
      hasHistory: Either.isRight(history),
      epoch: epoch.epoch,
      send: Either.match(sent, {
        onLeft: ({ message }) => (message.includes("may have arrived") ? "uncertain" : message),
        onRight: ({ verdict }) => verdict
      }),
      sends: sending.requests.length
    }
  })

const parametersOver = (provider: string, reply: Reply) =>
  Effect.gen(function* () {
    const built = yield* network(
      hostsOf(provider, () => reply),
      undefined,
      environmentOf(provider)
    )
    return (yield* settled(built.protocolParameters?.current ?? Effect.dieMessage("no parameters"))).json
  })

/** Whether recorded parameters of Blockfrost are returned unchanged. */
export const unchangedParameters: Read = (recording) =>
  Effect.map(parametersOver("blockfrost", replay(recording)), (text) => text === exactText(recording))

/** Whether a source's parameters are Blockfrost's: these members are missing, additional, or of another type. */
const differences = (found: Body, like: Body) =>
  Object.keys({ ...found, ...like }).filter(
    (name) =>
      !(name in found && name in like) ||
      (found[name] !== null && like[name] !== null && typeof found[name] !== typeof like[name])
  )

/** Koios's parameters with the costs of recorded ones of Blockfrost: whether the costs are unchanged, and different members. */
export const costsAtKoios: Read = ({ response }) => {
  const body = response.body as Body
  const like = { ...koiosParameters(640), cost_models: body.cost_models_raw }
  return Effect.map(parametersOver("koios", json([like])), (text) => {
    const found = JSON.parse(text) as Body
    return [JSON.stringify(found.cost_models_raw) === JSON.stringify(body.cost_models_raw), differences(found, body)]
  })
}

/** Some of Koios's recorded parameters, and how they are different from Blockfrost's. */
export const parametersAtKoios: Read = (recording) =>
  Effect.map(parametersOver("koios", replay(recording)), (text) => {
    const found = JSON.parse(text) as Body
    return [found.epoch, found.max_tx_ex_steps, found.price_step, differences(found, blockfrostParameters(640))]
  })
