import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { ton } from "../../../../catalogue/ton.ts"
import type { TonContext } from "../../../../domain/TransactionContext.ts"
import * as declare from "../../../../settings/declare.ts"
import * as Call from "../../../../upstream/Call.ts"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import * as ResponseSize from "../../../../upstream/response/ResponseSize.ts"
import * as Upstream from "../../../../upstream/Upstream.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import type { NodeResponse } from "../../../Chain.ts"
import { elector, type TonPrices, type TonProvider } from "../../Provider.ts"
import { type IndexedTransaction, nodeResponse } from "../../TonTransactions.ts"
import { walletKind } from "../../walletKinds.ts"
import { behindCheck, currentHead, inChunks, requireCurrentHead } from "../reading.ts"
import { type AddressLookup, byAddress, lookup, stated } from "../rows.ts"
import * as calls from "./calls.ts"
import { infosIn, masterIn, notAll, ownedIn } from "./jettons.ts"
import { accountHistory } from "./TonApiHistory.ts"

/** The balances of accounts; accounts that do not exist are included. */
const balancesIn =
  (addresses: ReadonlyArray<string>) =>
  ({ accounts }: typeof calls.accountBalances.response.Type): Either.Either<AddressLookup<bigint>, Fault> => {
    const found = byAddress(accounts, new Set(addresses), stated, ({ balance }) => Either.right(BigInt(balance)))
    return [...found.found.values()].some(Either.isRight)
      ? Either.right(lookup(found, Either.left(notAll)))
      : Either.left(notAll)
  }

/** The contexts of accounts; wallets lack their seqno, which is read separately. */
const contextsIn =
  (addresses: ReadonlyArray<string>) =>
  ({ accounts }: typeof calls.accountStates.response.Type): Either.Either<AddressLookup<TonContext>> => {
    const found = byAddress(accounts, new Set(addresses), stated, ({ balance, interfaces = [], status }) =>
      Either.right<TonContext>({
        family: "ton",
        state: status,
        seqno: status === "uninit" || status === "nonexist" ? 0 : null,
        wallet: interfaces.map(walletKind).find((kind) => kind !== null) ?? null,
        walletId: null,
        balance: String(balance)
      })
    )
    return Either.right(lookup(found, Either.left(notAll)))
  }

const pricesIn = ({
  "21": { gas_limits_prices: gas },
  "25": { msg_forward_prices: message }
}: typeof calls.config.response.Type): TonPrices => ({
  gas: {
    flatLimit: BigInt(gas.flat_gas_limit),
    flatPrice: BigInt(gas.flat_gas_price),
    price: BigInt(gas.gas_price)
  },
  message: {
    lump: BigInt(message.lump_price),
    bit: BigInt(message.bit_price),
    cell: BigInt(message.cell_price)
  }
})

const connect = Effect.gen(function* () {
  const url = yield* declare.url({
    name: "TONAPI_URL",
    default: ton.indexers.tonapi,
    meaning: "Base address of TonAPI, which serves /v2; used for data that TON Center does not return"
  })
  const addresses = [elector]
  return yield* Upstream.make({
    name: "tonapi",
    urls: [url],
    calls,
    size: ResponseSize.rows,
    rate: { source: "TONAPI", keyless: { perSecond: 1, burst: 1 } },
    canary: (address) =>
      Call.convertingAt(address, calls.decodeOptions)(calls.accountBalances, { addresses }, balancesIn(addresses))
  })
})

/** The second indexer, after TON Center. A call returns balances of many accounts, but jettons of a single account. */
export const make = Effect.gen(function* () {
  const upstream = yield* connect
  const read = Call.reading(upstream, calls.decodeOptions)
  const converted = Call.converting(upstream, calls.decodeOptions)

  const jettonsOf = (address: string) =>
    Effect.map(read(calls.ownedJettons, { address }), (owned) => {
      const { byMaster, fault } = ownedIn(owned)
      return { byMaster, unread: fault && upstream.fault(fault) }
    })

  const head = Effect.map(read(calls.masterchainHead, {}), ({ gen_utime, seqno }) => ({
    height: seqno,
    time: gen_utime
  }))
  const current = yield* currentHead(upstream, head)
  const notBehind = yield* behindCheck(upstream, head)

  return {
    name: upstream.name,
    standing: upstream.standing,
    fault: upstream.fault,
    head,
    current,
    notBehind,
    balances: requireCurrentHead(notBehind)(
      inChunks((addresses) =>
        Effect.map(
          converted(calls.accountBalances, { addresses }, balancesIn(addresses)),
          (balanceOf) => (address) => Either.mapLeft(balanceOf(address), upstream.fault)
        )
      )
    ),
    jettons: requireCurrentHead(notBehind)((addresses, report) =>
      Effect.forEach(
        addresses,
        (address) => Effect.map(Effect.either(jettonsOf(address)), (result) => report(address, result)),
        { concurrency: "unbounded", discard: true }
      )
    ),
    jetton: (owner, master) =>
      Effect.flatMap(Effect.zipRight(notBehind, jettonsOf(owner)), ({ byMaster, unread }) => {
        const own = byMaster.get(master)
        return own === undefined && unread !== undefined
          ? Effect.fail(unread)
          : Effect.succeed(own ?? { amount: 0n, decimals: undefined })
      }),
    master: masterAt(upstream),
    decimals: (address) => {
      const decode = Call.decoding(calls.jetton, { address }, calls.decodeOptions)
      return upstream.over((host) =>
        host.read(Call.requestOf(calls.jetton, { address }), (answer) =>
          answer.status === 404
            ? Either.right(Option.none())
            : Either.map(decode(answer), ({ metadata }) => Option.some(metadata.decimals))
        )
      )
    },
    infos: requireCurrentHead(notBehind)(
      inChunks((addresses) =>
        Effect.map(
          converted(calls.jettonInfos, { addresses }, infosIn(addresses)),
          (infoOf) => (master) => Either.mapLeft(infoOf(master), upstream.fault)
        )
      )
    ),
    history: accountHistory(upstream.name, converted),
    contexts: requireCurrentHead(current)(inChunks(contextsOf(upstream, converted))),
    transaction: find(upstream, calls.transaction),
    transactionOfMessage: find(upstream, calls.transactionOfMessage),
    prices: Effect.map(read(calls.config, {}), pricesIn)
  } satisfies TonProvider as TonProvider
})

/** Reads the contexts of accounts: the seqno of each wallet takes a call. */
const contextsOf = (upstream: Upstream.Upstream, read: Call.ConvertingReader) => {
  const withSeqno = (address: string, context: TonContext) =>
    context.wallet === null
      ? Effect.succeed(context)
      : read(calls.seqno, { address }, ({ seqno }) => Either.right<TonContext>({ ...context, seqno }))

  return (addresses: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const contextOf = yield* read(calls.accountStates, { addresses }, contextsIn(addresses))
      const contexts = yield* Effect.forEach(
        addresses,
        (address) => {
          const context = Either.mapLeft(contextOf(address), upstream.fault)
          const whole = Effect.flatMap(context, (own) => withSeqno(address, own))
          return Effect.map(Effect.either(whole), (result) => [address, result] as const)
        },
        { concurrency: 4 }
      )
      const found = new Map(contexts)
      return (address: string) => found.get(address) ?? Either.left(upstream.fault(notAll))
    })
}

/** Looks up a transaction: a 404 with a `not found` error says that it is unknown; any other 404 is a wrong path. */
const find =
  <I>(
    upstream: Upstream.Upstream,
    call: Call.Call<string, { readonly hash: string }, undefined, IndexedTransaction, I>
  ) =>
  (hash: string) => {
    const decode = Call.decoding(call, { hash }, calls.decodeOptions)
    return upstream.over((host) =>
      host.read(
        Call.requestOf(call, { hash }),
        (answer): Either.Either<NodeResponse, Fault> =>
          answer.status === 404
            ? Either.flatMap(ResponseDecoder.json(answer), (body) =>
                Predicate.isRecord(body) && /not found/i.test(String(body.error))
                  ? Either.right(nodeResponse("unknown", answer))
                  : Either.left({ ...unexpected404, status: 404 })
              )
            : Either.map(decode(answer), () => nodeResponse("done", answer))
      )
    )
  }

const unexpected404: Fault = { reason: "bad_answer", detail: "returned an unexpected 404 response" }

/** Reads the master of a jetton; TonAPI returns 404 for other addresses. */
const masterAt =
  (upstream: Upstream.Upstream): TonProvider["master"] =>
  (address) => {
    const decode = Call.decoding(calls.jettonMaster, { address }, calls.decodeOptions)
    return upstream.over((host) =>
      host.read(Call.requestOf(calls.jettonMaster, { address }), (answer) =>
        answer.status === 404
          ? Either.right(Option.none())
          : Either.map(Either.flatMap(decode(answer), masterIn(address)), Option.some)
      )
    )
  }
