import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { ton } from "../../../../catalogue/ton.ts"
import { notListed } from "../../../../domain/history/Gap.ts"
import { type TonContext, tonStates } from "../../../../domain/TransactionContext.ts"
import * as declare from "../../../../settings/declare.ts"
import type * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import * as ResponseSize from "../../../../upstream/response/ResponseSize.ts"
import * as Upstream from "../../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../../upstream/UpstreamError.ts"
import { type Group, join, type List, type Page } from "../../../kit/history/mergePaged.ts"
import { inRange, requestedTimes } from "../../history.ts"
import { elector, type Jetton, type OwnedJettons, type TonProvider } from "../../Provider.ts"
import * as TonAddress from "../../TonAddress.ts"
import * as TonTransactions from "../../TonTransactions.ts"
import { toTransaction } from "../../toTransaction.ts"
import { walletKind } from "../../walletKinds.ts"
import { behindCheck, currentHead, inChunks, requireCurrentHead } from "../reading.ts"
import * as ToncenterHistory from "./ToncenterHistory.ts"
import { pricesIn } from "./ToncenterPrices.ts"
import * as ToncenterWire from "./ToncenterWire.ts"
import { Coins } from "./ToncenterWire.ts"

// TON Center's `walletStates`: the state of an account, and the results of its wallet's get methods.

const Seqno = Schema.Int.pipe(Schema.between(0, 2 ** 32 - 1))

const WalletStates = Schema.Struct({ wallets: Schema.Array(Schema.Unknown) })

/** Any number of 32 bits is the id of a wallet, and some tools write it with a sign. */
const WalletId = Schema.Int.pipe(Schema.between(-(2 ** 31), 2 ** 32 - 1))

const WalletState = Schema.Struct({
  is_wallet: Schema.NullishOr(Schema.Boolean),
  wallet_type: Schema.NullishOr(Schema.String),
  seqno: Schema.NullishOr(Seqno),
  wallet_id: Schema.NullishOr(WalletId),
  balance: Schema.NullishOr(Coins),
  status: Schema.Literal(...tonStates)
})
const walletState = Schema.decodeUnknownEither(WalletState)

/** The contexts of accounts. */
const contexts = (addresses: ReadonlyArray<string>) =>
  ToncenterWire.interpreting(WalletStates, ({ wallets }) =>
    ToncenterWire.accountsIn(wallets, addresses, unused, (row) => Either.flatMap(walletState(row), toContext))
  )

/** Left if an account in use has no balance, or a wallet no seqno. */
const toContext = ({
  balance,
  is_wallet: isWallet,
  seqno,
  status,
  wallet_id,
  wallet_type
}: typeof WalletState.Type): Either.Either<TonContext, string> => {
  const inUse = status !== "uninit" && status !== "nonexist"
  if (inUse && balance == null) return Either.left("no balance")
  const runs = status === "active" && isWallet !== false
  const kind = runs ? walletKind(wallet_type) : null
  // The first version and highload wallets have none that a get method returns.
  if (seqno == null && /^v[2-9]/.test(kind ?? "")) return Either.left("no seqno")
  return Either.right({
    family: "ton",
    state: status,
    seqno: runs ? (seqno ?? null) : inUse ? null : 0,
    wallet: kind,
    walletId: runs ? (wallet_id ?? null) : null,
    balance: String(balance ?? 0n)
  })
}

/** The context of an address that never received a message. */
const unused: TonContext = {
  family: "ton",
  state: "nonexist",
  seqno: 0,
  wallet: null,
  walletId: null,
  balance: "0"
}

// Requests to TON Center's API v3.

/** The page limit of the API. */
const rowsPerPage = 1000

const get = (path: string, parameters: ReadonlyArray<readonly [string, string]>) =>
  HttpClientRequest.get(`/api/v3/${path}`).pipe(HttpClientRequest.setUrlParams(parameters))

const many = (name: string, addresses: ReadonlyArray<string>) =>
  addresses.map((address) => [name, TonAddress.friendly(address)] as const)

/** Requests account states without code and data of the contracts. */
const accountStates = (addresses: ReadonlyArray<string>) =>
  get("accountStates", [...many("address", [...addresses, elector]), ["include_boc", "false"]])

const walletStates = (addresses: ReadonlyArray<string>) => get("walletStates", many("address", [...addresses, elector]))

/** Requests a page of the owners' jetton wallets: of all jettons, or only of `master`. */
const jettonWallets = (owners: ReadonlyArray<string>, offset: number, master?: string) =>
  get("jetton/wallets", [
    ...many("owner_address", owners),
    ...(master === undefined ? [] : many("jetton_address", [master])),
    ["limit", String(rowsPerPage)],
    ["offset", String(offset)]
  ])

/** Requests the traces of these transactions or messages. */
const traces = (name: string, hashes: ReadonlyArray<string>) =>
  get("traces", [...hashes.map((hash) => [name, hash] as const), ["limit", String(hashes.length)]])

/** Calls a get method of a jetton's master (API v2). */
const displayMultiplier = (master: string) =>
  HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post("/api/v2/runGetMethod"), {
    address: TonAddress.friendly(master),
    method: "get_display_multiplier",
    stack: []
  })

const jettonMaster = (master: string) => get("jetton/masters", [...many("address", [master]), ["limit", "1"]])

// TON Center, API v3 (toncenter.com/api/v3, source in github.com/toncenter/ton-indexer).

const main = "transactions"
const unlisted = notListed("minted jettons and NFT transfers: toncenter does not list them")

/** A paged list of an address. Pages have two rows per requested transaction: most traces have no more in any list. */
const listed = (
  upstream: Upstream.Upstream,
  name: string,
  limit: number,
  path: string,
  parameters: ReadonlyArray<readonly [string, string]>,
  interpret: (range: ToncenterHistory.Range) => ResponseDecoder.Decoder<Page<ToncenterHistory.ToncenterRow>>
): List<ToncenterHistory.ToncenterRow> => ({
  name,
  page: (next) => {
    const range = { offset: Number(next ?? 0), limit: Math.min(rowsPerPage, 2 * limit + 10) }
    const paged = [...parameters, ["limit", String(range.limit)], ["offset", String(range.offset)]] as const
    const request = get(path, [...paged, ["sort", "desc"]])
    return upstream.over((address) => address.read(request, interpret(range)))
  }
})

/** Reads the transactions of an account from its three lists: a transaction is a trace, with rows in any of them. */
const accountHistory =
  (upstream: Upstream.Upstream): TonProvider["history"] =>
  (query, within) => {
    const { address, limit } = query
    const { end, merge, start } = requestedTimes(query)
    const range = [
      ...(start === undefined ? [] : [["start_utime", String(start)] as const]),
      ...(end === undefined ? [] : [["end_utime", String(end)] as const])
    ]
    const account = TonAddress.friendly(address)
    const lists = [
      listed(upstream, main, limit, "transactions", [["account", account], ...range], (page) =>
        ToncenterHistory.transactions(address, page)
      ),
      listed(upstream, "jetton transfers", limit, "jetton/transfers", [["owner_address", account], ...range], (page) =>
        ToncenterHistory.jettonTransfers(address, page)
      ),
      listed(upstream, "jetton burns", limit, "jetton/burns", [["owner_address", account], ...range], (page) =>
        ToncenterHistory.jettonBurns(address, page)
      )
    ]
    const hasFirstRow = ({ key, rows }: Group<ToncenterHistory.ToncenterRow>) =>
      rows.some((row) => "transaction" in row && row.transaction.hash === key)
    return Effect.map(join(lists, { ...merge, limit, within, hasFirstRow }), ({ failures, gaps, groups, more }) => {
      const isComplete = !failures.has(main)
      const transactions = groups.map(toTransaction(address, isComplete))
      const shown = inRange(transactions, more, query)
      // A block is known once the masterchain has it.
      const provisional = groups.some(({ rows }) =>
        rows.some((row) => "transaction" in row && !row.transaction.mc_block_seqno)
      )
      return {
        part: { ...shown, gaps: [...gaps, unlisted], provisional, sources: [upstream.name] },
        isComplete,
        decimals: ToncenterHistory.decimalsIn(groups.flatMap(({ rows }) => rows))
      }
    })
  }

/** The page limit of jettons: more pages cannot be read within any deadline. */
const maxPages = 50

const connect = Effect.gen(function* () {
  const url = yield* declare.url({
    name: "TONCENTER_URL",
    default: ton.indexers.toncenter,
    meaning: "Base address of TON Center, which serves /api/v2 and /api/v3"
  })
  const key = yield* declare.secret({
    name: "TONCENTER_API_KEY",
    allowed: "a key of toncenter.com",
    meaning: "TON Center API key"
  })
  return yield* Upstream.make({
    name: "toncenter",
    urls: [url],
    size: ResponseSize.rows,
    rate: { source: "TONCENTER", keyless: { perSecond: 1, burst: 1 }, keyed: { perSecond: 10, burst: 10 } },
    canary: (address) => address.read(accountStates([]), ToncenterWire.balances([])),
    ...(key === undefined ? {} : { keys: { "X-API-Key": key } })
  })
})

const send = <A>(
  upstream: Upstream.Upstream,
  request: HttpClientRequest.HttpClientRequest,
  interpret: ResponseDecoder.Decoder<A>
) => upstream.over((address) => address.read(request, interpret))

/**
 * Reads every jetton wallet of the owners, including empty wallets: otherwise a wallet that becomes empty between two
 * pages would shift a row from the next page to the previous page, where it is not read. Equal rows count once; the amount
 * of a jetton with different ones is unknown.
 */
const jettonsOf = (upstream: Upstream.Upstream, owners: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const found = new Map(owners.map((owner) => [owner, new Map<string, Jetton>()]))
    let unread: UpstreamError | undefined
    for (let page = 0; page < maxPages; page++) {
      const request = jettonWallets(owners, page * rowsPerPage)
      const { rows, total, unread: fault } = yield* send(upstream, request, ToncenterWire.wallets(owners))
      unread ??= fault && upstream.fault(fault)
      for (const { owner, master, ...jetton } of rows) {
        const before = found.get(owner)?.get(master)
        const isEqual = before === undefined || before.amount === jetton.amount
        found.get(owner)?.set(master, isEqual ? jetton : { ...jetton, amount: undefined })
      }
      if (total < rowsPerPage) return (owner: string): OwnedJettons => ({ byMaster: found.get(owner) ?? none, unread })
    }
    return yield* upstream.over((address) => Effect.fail(address.fault(tooMany)))
  })

/** The preferred indexer: it accepts many addresses per call. */
export const make = Effect.gen(function* () {
  const upstream = yield* connect

  const query = <A>(request: HttpClientRequest.HttpClientRequest, interpret: ResponseDecoder.Decoder<A>) =>
    send(upstream, request, interpret)

  const head = query(get("masterchainInfo", []), ToncenterWire.head)
  const current = yield* currentHead(upstream, head)
  const notBehind = yield* behindCheck(upstream, head)

  const provider: TonProvider = {
    name: upstream.name,
    standing: upstream.standing,
    fault: upstream.fault,
    head,
    current,
    notBehind,
    balances: requireCurrentHead(notBehind)(
      inChunks((addresses) =>
        Effect.map(
          query(accountStates(addresses), ToncenterWire.balances(addresses)),
          (balanceOf) => (address) => Either.mapLeft(balanceOf(address), upstream.fault)
        )
      )
    ),
    jettons: requireCurrentHead(notBehind)(
      inChunks((addresses) =>
        Effect.map(jettonsOf(upstream, addresses), (owned) => (address) => Either.right(owned(address)))
      )
    ),
    jetton: (owner, master) =>
      Effect.flatMap(
        Effect.zipRight(notBehind, query(jettonWallets([owner], 0, master), ToncenterWire.wallets([owner], master))),
        ({ rows: [row], unread }) =>
          row === undefined && unread !== undefined
            ? Effect.fail(upstream.fault(unread))
            : Effect.succeed(row ?? { amount: 0n, decimals: undefined })
      ),
    decimals: (master) => query(jettonMaster(master), ToncenterWire.masterDecimals(master)),
    infos: requireCurrentHead(notBehind)((masters, report) =>
      Effect.forEach(
        masters,
        (master) =>
          Effect.map(Effect.either(query(displayMultiplier(master), ToncenterWire.multiplier)), (result) =>
            report(
              master,
              Either.map(result, (multiplier) => ({ multiplier, decimals: undefined }))
            )
          ),
        { concurrency: "unbounded", discard: true }
      )
    ),
    history: accountHistory(upstream),
    contexts: requireCurrentHead(current)(
      inChunks((addresses) =>
        Effect.map(
          query(walletStates(addresses), contexts(addresses)),
          (contextOf) => (address) => Either.mapLeft(contextOf(address), upstream.fault)
        )
      )
    ),
    transaction: (hash) => query(get("transactions", [["hash", hash]]), TonTransactions.decodeList(hash)),
    transactionOfMessage: (hash) => {
      const parameters = [["msg_hash", hash] as const, ["direction", "in"] as const]
      return query(get("transactionsByMessage", parameters), TonTransactions.decodeListOfMessage(hash))
    },
    transactions: (hashes) =>
      Effect.gen(function* () {
        const rows = (name: string, some: ReadonlyArray<string>) =>
          query(traces(name, some), TonTransactions.decodeTraces(some))
        const own = yield* rows("tx_hash", hashes)
        const open = hashes.filter((hash) => !own.rows.has(hash))
        if (open.length === 0) return own
        const { isWhole, rows: others } = yield* Effect.orElseSucceed(rows("msg_hash", open), () => unknownRows)
        return { rows: new Map([...own.rows, ...others]), isWhole: own.isWhole && isWhole }
      }),
    prices: pricesIn(upstream)
  }
  return { ...provider, upstream }
})

const none: ReadonlyMap<string, never> = new Map<string, never>()
const unknownRows = { rows: none, isWhole: false }
const tooMany = { reason: "bad_answer", detail: "returned more jettons than can be read", final: true } as const
