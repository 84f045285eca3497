import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Holding } from "../../../src/chains/Chain.ts"
import type { RegisteredToken } from "../../../src/providers/TokenRegistry.ts"
import { alice, bob, headless, isOfHead, network, usdt, wink } from "../../chains/tron/tron.ts"
import { type Exchange, replay } from "../../support/fixtures.ts"
import { withTexts } from "../../support/gaps.ts"
import { short } from "../../support/histories.ts"
import { json, type Reply, repliesInOrder, type SentRequest } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import * as TronNodes from "../../support/TronNodes.ts"
import type { Read } from "../table.ts"

/** Returns this response of the index; Multicall3 calls revert, the node has no account and knows all decimals. */
const repliesOf =
  (exchange: Exchange) =>
  (request: SentRequest): Reply => {
    if (TronNodes.balancesRequested(request.body) !== undefined) return json(TronNodes.reverted)
    if (request.body.includes("313ce567")) {
      const decimals = [usdt, wink].some(({ address }) => request.body.includes(address)) ? "6" : "12"
      return json(TronNodes.returning(`0x${decimals.padStart(64, "0")}`))
    }
    return request.url.pathname.startsWith("/wallet/") ? TronNodes.speaking({})(request) : replay(exchange)
  }

const shown = ({ amount, asset }: Holding) => [asset === "native" ? "trx" : asset.coinId, Either.getOrThrow(amount)]

/** What Bob or another address holds by the index; the second recording is of the list of balances. */
export const indexed =
  (tokens?: ReadonlyArray<RegisteredToken>, holder = bob): Read =>
  (account, balances = account) =>
    Effect.gen(function* () {
      const isBalances = ({ url }: SentRequest) => url.pathname.endsWith("/trc20/balance")
      const { holdings } = yield* network(
        (request) => repliesOf(isBalances(request) ? balances : account)(request),
        tokens
      )
      const [read] = yield* Effect.all(yield* settled(holdings([holder])))
      return (read ?? []).map(shown)
    })

/** The paths of the calls for what Bob holds by the index. */
export const callsOfIndex: Read = (recording) =>
  Effect.gen(function* () {
    const { holdings, requests } = yield* network(repliesOf(recording))
    yield* settled(holdings([bob]))
    return requests.map(({ url }) => url.pathname)
  })

/** The TRX of Bob or another address at a node that returns this to all calls but, if it has them, those for balances. */
export const coinsAt =
  (hasBalances: boolean, holder = bob): Read =>
  (recording) =>
    Effect.gen(function* () {
      const isOther = ({ body }: SentRequest) => hasBalances && TronNodes.balancesRequested(body) !== undefined
      const { holding } = yield* network((request) =>
        isOther(request) ? TronNodes.speaking({})(request) : replay(recording)
      )
      return shown(yield* settled(holding(holder, Option.none())))
    })

/** Alice's USDT at a node that returns this to all calls; and the path, contract and data of the call for it. */
export const usdtAt =
  (ofIndex: boolean): Read =>
  (recording) =>
    Effect.gen(function* () {
      const { holding, requests } = yield* network((request) =>
        ofIndex && request.body.includes("313ce567") ? repliesOf(recording)(request) : replay(recording)
      )
      const read = yield* settled(holding(alice, Option.some(usdt.address)))
      const call = requests.find(({ body }) => body.includes(usdt.address) && !body.includes("313ce567"))
      const { contract_address, data } = JSON.parse(call?.body ?? "")
      return [...shown(read), call?.url.pathname, contract_address, data]
    })

/** The faults of the balances of Alice and Bob if all calls return this: of all, of TRX and of USDT. */
export const faults: Read = (recording) =>
  Effect.gen(function* () {
    const { holding, holdings } = yield* network(() => replay(recording))
    const all = yield* settled(holdings([alice, bob]))
    const each = yield* Effect.forEach([Option.none(), Option.some(usdt.address)], (token) =>
      Effect.flip(settled(holding(bob, token)))
    )
    const faults = [...all.map((read) => Either.getOrThrow(Either.flip(read))), ...each]
    return [...new Set(faults.map(({ reason }) => reason))]
  })

const isTransfers = ({ url }: SentRequest) => url.pathname.endsWith("/trc20")
const empty = json({ success: true, data: [], meta: { at: 1, page_size: 0 } })

const historyOver = Effect.fnUntraced(function* (handler: (request: SentRequest) => Reply, address: string) {
  const { history, requests } = yield* network(headless(handler))
  const part = yield* settled(history?.({ address, limit: 50 }) ?? Effect.die("no history"))
  const { missing, more } = withTexts(part)
  const calls = requests.filter((request) => !isOfHead(request) && request.url.pathname.startsWith("/v1/"))
  return { calls, rows: [...part.transactions.map(short), ...missing, ...(more ? ["more"] : [])] }
})

/** The history of an address whose pages of transactions are these. */
export const listed =
  (address = alice): Read =>
  (first, ...others) => {
    const next = repliesInOrder(replay(first), ...others.map((page) => replay(page)))
    const handler = (request: SentRequest) => (isTransfers(request) ? empty : next())
    return Effect.map(historyOver(handler, address), ({ rows }) => rows)
  }

/** The fingerprints of the calls for pages of transactions. */
export const fingerprints: Read = (first, ...others) => {
  const next = repliesInOrder(replay(first), ...others.map((page) => replay(page)))
  const handler = (request: SentRequest) => (isTransfers(request) ? empty : next())
  return Effect.map(historyOver(handler, alice), ({ calls }) =>
    calls.flatMap((call) => (isTransfers(call) ? [] : [call.url.searchParams.get("fingerprint")]))
  )
}

/** The history of an address whose transfers of tokens are these. */
export const transfers =
  (address = alice, corrected = (text: string) => text): Read =>
  ({ response }) => {
    const body = json(JSON.parse(corrected(JSON.stringify(response.body))))
    let pages = 0
    const handler = (request: SentRequest) => (isTransfers(request) && pages++ === 0 ? body : empty)
    return Effect.map(historyOver(handler, address), ({ rows }) => rows)
  }

/** The history of Alice if all calls return this, and the number of calls. */
export const always: Read = (recording) =>
  Effect.map(
    historyOver(() => replay(recording), alice),
    ({ calls, rows }) => [...rows, calls.length]
  )
