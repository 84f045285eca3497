import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { tron } from "../../catalogue/tron.ts"
import { type Millis, numberOf, type Seconds, seconds, toMillis } from "../../domain/units.ts"
import * as declare from "../../settings/declare.ts"
import type * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import * as Upstream from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import {
  type BalanceCall,
  balanceCall,
  blockTimeCall,
  decodeAggregate,
  decodeWord,
  encodeBalanceOf,
  encodeCalls,
  type MulticallCall
} from "../evm/multicall.ts"
import type { List } from "../kit/history/mergePaged.ts"
import { headCheck, requireCurrent } from "../kit/status/currentHead.ts"
import * as HistoryWire from "./HistoryWire.ts"
import { headOf } from "./newestBlock.ts"
import * as TronAddress from "./TronAddress.ts"
import { accounts, decodeOptions, post, returning, Trc20Balances, walletAccount } from "./TronWire.ts"

// TronGrid (developers.tron.network): the HTTP API of a node (`/wallet`, tronprotocol.github.io/documentation-en) and
// TronGrid's index (`/v1`). Contracts run on the TVM, which uses Ethereum's ABI; Multicall3 as listed at
// github.com/mds1/multicall. The check of the newest block is of the node: nothing in responses of the index shows how far
// it has got (`meta.at` is the time of the response), so that a slow index is seen only by its missing rows.

/** The address of Multicall3 on Tron. */
export const multicallAddress = "TEazPvZwDjDtFeJupyo7QunvnrnUjPH8ED"

/** The zero address, as caller of read-only contract calls. */
const zeroAddress = "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb"

/** The page limit of the index. */
const rowsPerPage = 200

/** Balances per call; a larger call may exceed a node's execution time limit. */
export const balancesPerCall = 500

const decimalsSelector: `0x${string}` = "0x313ce567"

/** The contract of USDT: it returns its decimals on the main network only. */
const canaryContract = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"

/** The balances of an address in TronGrid's index. */
export interface IndexedBalances {
  /** Whether the index has the account. */
  readonly isKnown: boolean
  readonly balance: bigint
  readonly trc20: ReadonlyArray<unknown>
}

interface TimeRange {
  readonly since: Seconds | undefined
  /** The last time, included. */
  readonly until: Millis | undefined
}

const connect = Effect.gen(function* () {
  const url = yield* declare.url({
    name: "TRONGRID_URL",
    default: tron.indexers.trongrid,
    meaning: "Base address of TronGrid, or of a node of Tron with the same HTTP API"
  })
  const key = yield* declare.secret({
    name: "TRONGRID_API_KEY",
    allowed: "an API key of TronGrid",
    meaning: "TronGrid API key"
  })
  return yield* Upstream.make({
    ...decodeOptions,
    name: "trongrid",
    urls: [url],
    // Rates are no longer documented; keyless and keyed users report these.
    rate: { source: "TRONGRID", keyless: { perSecond: 3, burst: 4 }, keyed: { perSecond: 15, burst: 15 } },
    canary: (address) => address.read(call(canaryContract, decimalsSelector), returning(decodeWord, noToken)),
    ...(key === undefined ? {} : { keys: { "TRON-PRO-API-KEY": key } })
  })
})

/** The calls that Multicall3 makes, many at once. */
const multicalls = (trongrid: Upstream.Upstream) => {
  const multicall = TronAddress.toEvm(multicallAddress)

  /**
   * The results of contract calls, all from one block, whose time must fit the clock; none for a call that failed or did
   * not return a word.
   */
  const aggregate = (calls: ReadonlyArray<MulticallCall>) =>
    trongrid.over((address) =>
      Effect.gen(function* () {
        const [time = Option.none(), ...results] = yield* address.read(
          call(multicallAddress, encodeCalls([blockTimeCall(multicall), ...calls])),
          returning((hex) => decodeAggregate(hex, calls.length + 1), "returned no balances")
        )
        if (Option.isNone(time)) return yield* address.fault({ reason: "bad_answer", detail: "returned no block time" })
        yield* requireCurrent(address, tron, seconds(Number(time.value)))
        return results
      })
    )

  return {
    /** Reads many balances in one call; an element is empty if the token did not return a balance. */
    balances: (calls: ReadonlyArray<BalanceCall>) => aggregate(calls.map((item) => balanceCall(item, multicall))),
    /** Reads the decimals of many tokens in one call. */
    allDecimals: (tokens: ReadonlyArray<string>) =>
      Effect.map(
        aggregate(tokens.map((token) => ({ target: TronAddress.toEvm(token), callData: decimalsSelector }))),
        Arr.map(Option.flatMap(small))
      ),
    /** Reads the balance of an address in one token, and the decimals of the token, in one call. */
    token: (address: string, token: string) => {
      const target = TronAddress.toEvm(token)
      return Effect.map(
        aggregate([
          { target, callData: encodeBalanceOf(TronAddress.toEvm(address)) },
          { target, callData: decimalsSelector }
        ]),
        ([amount = Option.none(), decimals = Option.none()]) => ({ amount, decimals: Option.flatMap(decimals, small) })
      )
    }
  }
}

/** The client of TronGrid: TRONGRID_URL, with TRONGRID_API_KEY if it is set. */
export const make = Effect.gen(function* () {
  const trongrid = yield* connect

  const query = <A>(request: HttpClientRequest.HttpClientRequest, interpret: ResponseDecoder.Decoder<A>) =>
    trongrid.over((address) => address.read(request, interpret))
  const check = yield* headCheck(tron)

  /** A list of an address, in a range of block times. */
  const listed = (
    name: string,
    address: string,
    path: string,
    row: Parameters<typeof HistoryWire.page>[1],
    { since, until }: TimeRange
  ) => {
    const interpret = HistoryWire.page(address, row)
    const list: List<HistoryWire.TronRow> = {
      name,
      page: (fingerprint) =>
        query(
          HttpClientRequest.setUrlParams(HttpClientRequest.get(`/v1/accounts/${address}${path}`), {
            limit: String(rowsPerPage),
            order_by: "block_timestamp,desc",
            ...(since === undefined ? {} : { min_timestamp: String(numberOf(toMillis(since))) }),
            ...(until === undefined ? {} : { max_timestamp: String(numberOf(until)) }),
            ...(fingerprint === undefined ? {} : { fingerprint })
          }),
          interpret
        )
    }
    return list
  }

  return {
    name: trongrid.name,
    upstream: trongrid,
    /** Fails if the newest block does not fit the clock: for responses that have none. */
    isCurrent: trongrid.over((address) => check(address, headOf(address))),
    ...multicalls(trongrid),
    /** The spendable TRX of an address, in sun. */
    trx: (address: string) =>
      Effect.map(
        trongrid.read(post("/wallet/getaccount", { address, visible: true }), walletAccount(address)),
        ({ balance }) => balance
      ),
    /** The balance of an address in one token, in base units. */
    balanceOf: (address: string, token: string) =>
      query(call(token, encodeBalanceOf(TronAddress.toEvm(address))), returning(decodeWord, noToken)),
    /** The decimals that a token declares; undefined if it declares none. */
    decimals: (token: string): Effect.Effect<number | undefined, UpstreamError> =>
      Effect.catchIf(
        query(call(token, decimalsSelector), returning(decodeSmall, noToken)),
        ({ final }) => final === true,
        () => Effect.succeed(undefined)
      ),
    /** All balances in TronGrid's index. The tokens of a never-activated account come from a separate endpoint. */
    indexed: (address: string): Effect.Effect<IndexedBalances, UpstreamError> =>
      Effect.gen(function* () {
        const { data } = yield* trongrid.read(HttpClientRequest.get(`/v1/accounts/${address}`), accounts(address))
        const [account] = data
        if (account !== undefined) return { ...account, isKnown: true }
        const request = HttpClientRequest.get(`/v1/accounts/${address}/trc20/balance`)
        const tokens = yield* trongrid.read(HttpClientRequest.setUrlParam(request, "limit", "200"), Trc20Balances)
        return { isKnown: false, balance: 0n, trc20: tokens.data }
      }),
    /** The lists that make up the history of an address. */
    lists: (address: string, range: TimeRange) => [
      listed("transactions", address, "/transactions", HistoryWire.transactionRow, range),
      listed("token transfers", address, "/transactions/trc20", HistoryWire.transferRow, range)
    ]
  }
})

export type TronClient = Effect.Effect.Success<typeof make>

/** Whether the call itself caused the failure, because it is too large or cannot be executed. */
export const isVerdict = ({ final, kind }: UpstreamError) => final === true || kind === "not_executed"

/** ERC-20, which TRC-20 follows, declares decimals as uint8. */
const small = (value: bigint) => (value <= 255n ? Option.some(Number(value)) : Option.none())
const decodeSmall = (hex: string) => Option.flatMap(decodeWord(hex), small)

export const noToken = "no token at this address returns a balance and its decimals"

/** A read-only contract call. */
const call = (contract: string, data: string) =>
  post("/wallet/triggerconstantcontract", {
    owner_address: zeroAddress,
    contract_address: contract,
    data: data.slice(2),
    visible: true
  })
