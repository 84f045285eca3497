import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { tron } from "../../../../catalogue/tron.ts"
import { seconds } from "../../../../domain/units.ts"
import * as Call from "../../../../upstream/Call.ts"
import type { Endpoint, Upstream } from "../../../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../../../upstream/UpstreamError.ts"
import { directCalls, tokenCalls } from "../../../evm/contracts/answers.ts"
import { boundedResult, type ContractResult, unreadResult } from "../../../evm/contracts/readContracts.ts"
import { nameCalls } from "../../../evm/contracts/tokenNames.ts"
import {
  balanceCall,
  blockTimeCall,
  decodeAggregate,
  decodeCalls,
  decodeWord,
  encodeBalanceOf,
  encodeCalls,
  type MulticallCall
} from "../../../evm/multicall.ts"
import { requireCurrent } from "../../../kit/status/currentHead.ts"
import { isVerdict, noToken, type TronProvider } from "../../Provider.ts"
import * as TronAddress from "../../TronAddress.ts"
import * as calls from "./calls.ts"

// Contracts run on the TVM, which uses Ethereum's ABI; Multicall3 as listed at github.com/mds1/multicall.

/** The address of Multicall3 on Tron. */
export const multicallAddress = "TEazPvZwDjDtFeJupyo7QunvnrnUjPH8ED"

const decimalsSelector: `0x${string}` = "0x313ce567"

/** The contract of USDT: it returns its decimals on the main network only. */
const canaryContract = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"

const notExecuted = { reason: "bad_answer", kind: "not_executed", detail: "the contract call failed" } as const

/** The result of a contract call, as hex with `0x`. */
const returned = ({
  constant_result: [hex = ""] = [],
  result,
  transaction
}: typeof calls.constantContract.response.Type): Either.Either<`0x${string}`, Fault> => {
  const failed = transaction?.ret?.some(({ ret }) => ret !== undefined && ret !== "SUCESS" && ret !== "SUCCESS")
  return result.result !== true || result.code !== undefined || (result.message ?? "") !== "" || failed === true
    ? // A node that runs out of time, for example, has this code: the same call may succeed later.
      Either.left({ ...notExecuted, final: result.code !== "OTHER_ERROR" })
    : Either.right(`0x${hex}` as const)
}

/** Tokens whose names are read in one call. */
const namesPerCall = 100

/** Makes a read-only contract call; a result that cannot be decoded is a final error. */
const call = <A>(
  address: Endpoint,
  contract: string,
  data: string,
  decode: (hex: `0x${string}`) => Option.Option<A>,
  otherwise: string
) =>
  Call.convertingAt(address, calls.decodeOptions)(calls.constantContract, { contract, data }, (found) =>
    Either.flatMap(returned(found), (hex) =>
      Either.fromOption(decode(hex), () => ({ reason: "bad_answer" as const, detail: otherwise, final: true }))
    )
  )

/** Reads a word of a contract that exists on the main network only. */
export const canary = (address: Endpoint) => call(address, canaryContract, decimalsSelector, decodeWord, noToken)

type Contracts = Pick<
  TronProvider,
  "allDecimals" | "balanceOf" | "balances" | "contract" | "decimals" | "names" | "token"
>

/** Reads of contracts, of which Multicall3 makes many at once. */
export const contractsOf = (trongrid: Upstream): Contracts => {
  const multicall = TronAddress.toEvm(multicallAddress)

  /**
   * The results of contract calls, all from one block, whose time must fit the clock; none for a call that failed or did
   * not return a word.
   */
  const aggregate = (calls: ReadonlyArray<MulticallCall>) =>
    trongrid.over((address) =>
      Effect.gen(function* () {
        const [time = Option.none(), ...results] = yield* call(
          address,
          multicallAddress,
          encodeCalls([blockTimeCall(multicall), ...calls]),
          (hex) => decodeAggregate(hex, calls.length + 1),
          "returned no balances"
        )
        if (Option.isNone(time)) return yield* address.fault({ reason: "bad_answer", detail: "returned no block time" })
        yield* requireCurrent(address, tron, seconds(Number(time.value)))
        return results
      })
    )

  return {
    ...tokenReads(trongrid),
    balances: (calls) => aggregate(calls.map((balance) => balanceCall(balance, multicall))),
    allDecimals: (tokens) =>
      Effect.map(
        aggregate(tokens.map((token) => ({ target: TronAddress.toEvm(token), callData: decimalsSelector }))),
        Arr.map(Option.flatMap(small))
      ),
    token: (address, token) => {
      const target = TronAddress.toEvm(token)
      return Effect.map(
        aggregate([
          { target, callData: encodeBalanceOf(TronAddress.toEvm(address)) },
          { target, callData: decimalsSelector }
        ]),
        ([amount = Option.none(), decimals = Option.none()]) => ({ amount, decimals: Option.flatMap(decimals, small) })
      )
    },
    balanceOf: (holder, token) =>
      trongrid.over((address) => call(address, token, encodeBalanceOf(TronAddress.toEvm(holder)), decodeWord, noToken)),
    decimals: (token) =>
      Effect.catchIf(
        trongrid.over((address) => call(address, token, decimalsSelector, decodeSmall, noToken)),
        ({ final }) => final === true,
        () => Effect.succeed(undefined)
      )
  }
}

/** ERC-20, which TRC-20 follows, declares decimals as uint8. */
const small = (value: bigint) => (value <= 255n ? Option.some(Number(value)) : Option.none())
const decodeSmall = (hex: string) => Option.flatMap(decodeWord(hex), small)

/** The data that contracts returned, all from one block, whose time must fit the clock. */
const resultsOf = (address: Endpoint, calls: ReadonlyArray<MulticallCall>) =>
  Effect.gen(function* () {
    const [time, ...results] = yield* call(
      address,
      multicallAddress,
      encodeCalls([blockTimeCall(TronAddress.toEvm(multicallAddress)), ...calls]),
      (hex) => decodeCalls(hex, calls.length + 1),
      "returned no results of contracts"
    )
    const at = Option.flatMap(Option.fromNullable(time), ({ returnData }) => decodeWord(returnData))
    yield* requireCurrent(address, tron, seconds(Number(Option.getOrElse(at, () => 0n))))
    return results.map(({ returnData, success }) => boundedResult(success, returnData))
  })

/** The result of a call that is made alone. */
const alone = (address: Endpoint, token: string, data: string): Effect.Effect<ContractResult, UpstreamError> =>
  call(address, token, data, Option.some, "").pipe(
    Effect.map((hex) => boundedResult(true, hex)),
    Effect.catchIf(isVerdict, ({ final }) => Effect.succeed(final === true ? boundedResult(false, "0x") : unreadResult))
  )

/** Reads the contracts of tokens, and their names. */
const tokenReads = (trongrid: Upstream): Pick<TronProvider, "contract" | "names"> => ({
  contract: (token) =>
    trongrid.over((address) =>
      Effect.gen(function* () {
        const all = tokenCalls(TronAddress.toEvm(token))
        const results = yield* Effect.catchIf(resultsOf(address, all), isVerdict, () =>
          Effect.succeed(all.map(() => unreadResult))
        )
        const direct = yield* Effect.forEach(all.slice(0, directCalls), ({ callData }, index) => {
          const first = results[index] ?? unreadResult
          return Either.isRight(first) ? Effect.succeed(first) : alone(address, token, callData)
        })
        const info = yield* Call.readAt(address, calls.contractInfo, { address: token }, calls.decodeOptions)
        return { results, direct, code: info?.runtimecode }
      })
    ),
  names: (tokens) =>
    trongrid.over((address) =>
      Effect.map(
        Effect.forEach(Arr.chunksOf(tokens, namesPerCall), (part) =>
          Effect.catchIf(
            resultsOf(
              address,
              part.flatMap((token) => nameCalls(TronAddress.toEvm(token)))
            ),
            isVerdict,
            () => Effect.succeed(part.flatMap(() => [unreadResult, unreadResult, unreadResult]))
          )
        ),
        (parts) => parts.flat()
      )
    )
})
