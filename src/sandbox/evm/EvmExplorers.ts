import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as calls from "../../chains/evm/providers/etherscan/calls.ts"
import { type Answered, answered, answerOf } from "../world/answers.ts"
import * as World from "../world/World.ts"
import { json, type Simulated, type SimulatedRequest } from "../world/wire.ts"
import { hashOf, newest, timeOf } from "./EvmChain.ts"
import type { EvmLedger, Ledgers } from "./EvmLedger.ts"
import { createdBy, gasLimitOf } from "./EvmReceipts.ts"
import { allocationRow } from "./evmMuseum.ts"
import type { LedgerTransaction } from "./evmPool.ts"

interface Flavour {
  /** Status and message of an empty list; Routescan reports success. */
  readonly empty: (kind: ExplorerList) => { readonly status: string; readonly message: string }
  /** Fields of internal calls that differ between explorers. */
  readonly internal: (hash: string, index: number) => Readonly<Record<string, string>>
  /** Fields of delegated calls. */
  readonly delegated: Readonly<Record<string, string>>
  /** Fields of internal calls that create a contract. */
  readonly creation?: Readonly<Record<string, string>>
  /** Fields of transactions about the called function. */
  readonly called: (input: string) => Readonly<Record<string, string>>
  /** Order of a request without an order. */
  readonly newestFirst?: true
  /** Whether it lists coins of the first block. */
  readonly listsGenesis?: true
  /** Difference of `gasPrice` to the paid price, wei: some explorers report the bid. */
  readonly bidsMore: bigint
}

const byHash = (hash: string, index: number) => ({ hash, traceId: `0_${index}`, type: "call", input: "" })
const named = (input: string) => ({ methodId: input.slice(0, 10), functionName: "" })
const delegated = { type: "delegatecall" }
const none = { status: "0", message: "No transactions found" }

const flavours = {
  etherscan: { empty: () => none, internal: byHash, delegated, called: named, listsGenesis: true, bidsMore: 0n },
  routescan: {
    empty: () => ({ status: "1", message: "OK" }),
    internal: byHash,
    delegated,
    called: named,
    bidsMore: 3n
  },
  blockscout: {
    empty: (kind: ExplorerList) => ({
      status: "0",
      message: {
        txlist: "No transactions found",
        txlistinternal: "No internal transactions found",
        tokentx: "No token transfers found"
      }[kind]
    }),
    internal: (transactionHash: string, index: number) => ({
      transactionHash,
      index: String(index),
      callType: "call",
      type: "call",
      input: "0x"
    }),
    delegated: { callType: "delegatecall" },
    creation: { callType: "" },
    called: () => ({ methodId: "0x" }),
    newestFirst: true,
    bidsMore: 3n
  }
} satisfies Record<string, Flavour>

/** Maximum product of page and page size. */
const window = 10_000

const beyond = `Result window is too large, PageNo x Offset size must be less than or equal to ${window}`

const chainOf = (networks: ReadonlyArray<NetworkFacts>, id: string) =>
  networks.find(({ chainId }) => String(chainId) === id)

/** Etherscan with a paid plan, which covers every network. */
export const etherscan =
  (networks: ReadonlyArray<NetworkFacts>, ledgers: Ledgers): Simulated =>
  (request) => {
    const { query } = request
    const facts = chainOf(networks, query.get("chainid") ?? "")
    if (!query.get("apikey")) return json(notOk("Missing/Invalid API Key"))
    if (facts === undefined)
      return json({ status: "0", message: "NOTOK", result: "Missing or unsupported chainid parameter" })
    return answer(facts, ledgers(facts), flavours.etherscan, request)
  }

export const routescan =
  (networks: ReadonlyArray<NetworkFacts>, ledgers: Ledgers): Simulated =>
  (request) => {
    const facts = chainOf(networks, /\/(\d+)\/etherscan\/api$/.exec(request.path)?.[1] ?? "")
    return facts === undefined
      ? json({ status: "0", message: "chain not supported", result: null })
      : answer(facts, ledgers(facts), flavours.routescan, request)
  }

export const blockscout =
  (facts: NetworkFacts, chain: EvmLedger): Simulated =>
  (request) =>
    answer(facts, chain, flavours.blockscout, request)

const answer = (facts: NetworkFacts, chain: EvmLedger, flavour: Flavour, request: SimulatedRequest) => {
  // An operator may move an explorer to any base address.
  const [own = calls.balance.path] = /\/api\/v2\/.*$/.exec(request.path) ?? []
  const found = Option.getOrUndefined(answerOf(answersOf(facts, chain, flavour), { ...request, path: own }))
  return found instanceof Response ? found : json(found ?? notOk("Error! Missing Or invalid Action name"))
}

const notOk = (result: string) => ({ status: "0", message: "NOTOK", result })

/** One path has all calls: the query names the action. */
const ofAction = (action: string, { answer, pattern }: Answered): Answered => ({
  pattern,
  answer: (request) => (request.query.get("action") === action ? answer(request) : undefined)
})

const addressIn = (query: URLSearchParams) => (query.get("address") ?? "").toLowerCase()

const answersOf = (facts: NetworkFacts, chain: EvmLedger, flavour: Flavour): ReadonlyArray<Answered> => {
  // No address in this world has NFTs.
  const noNfts = () => ({ ...none, result: [] })
  const page =
    <K extends ExplorerList>(kind: K) =>
    ({ now, query }: ListRequest) =>
      pageOf(kind, { flavour, chain, address: addressIn(query), now }, query)
  return [
    ofAction(
      "balance",
      answered(calls.balance, ({ query }) => ({
        status: "1",
        message: "OK",
        result: String(World.native(facts, addressIn(query)))
      }))
    ),
    ofAction("tokennfttx", answered(calls.tokennfttx, noNfts)),
    ofAction("token1155tx", answered(calls.token1155tx, noNfts)),
    ofAction(
      "txlistinternal",
      answered(calls.internalsOf, ({ now, query }) => {
        const hash = query.get("txhash")
        if (hash === null) return undefined
        const transaction = chain.find(hash)
        const listing = { flavour, chain, address: addressIn(query), now }
        const moved = transaction === undefined ? [] : rowsOf.txlistinternal(listing, transaction)
        // Rows about one transaction have no hash.
        return listed(
          "txlistinternal",
          flavour,
          moved.map(({ hash: _, transactionHash: __, ...row }) => row)
        )
      })
    ),
    ofAction("txlist", answered(calls.txlist, page("txlist"))),
    ofAction("txlistinternal", answered(calls.txlistinternal, page("txlistinternal"))),
    ofAction("tokentx", answered(calls.tokentx, page("tokentx"))),
    answered(calls.tokenBalances, ({ parameters: { address } }) =>
      World.contractsOn(facts.platform).flatMap((contract) => {
        const amount = World.tokenBalance(facts, contract, address.toLowerCase())
        return amount === 0n ? [] : [ownedToken(contract, amount)]
      })
    )
  ]
}

/** A row of Blockscout's list of tokens. */
const ownedToken = ({ address, coin, decimals }: World.Contract, amount: bigint) => ({
  token: {
    address_hash: address,
    decimals: String(decimals),
    name: coin.name,
    symbol: coin.symbol.toUpperCase(),
    type: "ERC-20",
    reputation: coin.id === "claim-link" ? "scam" : "ok"
  },
  token_id: null,
  value: String(amount)
})

type ListRequest = Pick<SimulatedRequest, "now" | "query">

const listed = <A>(kind: ExplorerList, flavour: Flavour, result: ReadonlyArray<A>) => ({
  ...(result.length === 0 ? flavour.empty(kind) : { status: "1", message: "OK" }),
  result
})

/** A page of a list. */
const pageOf = <K extends ExplorerList>(kind: K, listing: Listing, query: URLSearchParams) => {
  const { address, chain, flavour } = listing
  if (!/^0x[0-9a-f]{40}$/.test(address)) return json(notOk("Error! Invalid address format"))
  const newestFirst = (query.get("sort") ?? (flavour.newestFirst ? "desc" : "asc")) === "desc"
  const number = (name: string, otherwise: number) => Number(query.get(name) ?? otherwise)
  // A page without a size is as small as possible, so that a lost parameter is seen.
  const [page, size] = [number("page", 1), number("offset", 1)]
  if (page * size > window) return json({ status: "0", message: beyond, result: null })
  const [first, last] = [number("startblock", 0), number("endblock", Number.POSITIVE_INFINITY)]
  const found = chain.of(address).filter(({ block }) => first <= block && block <= last)
  const given = kind === "txlist" && flavour.listsGenesis && first <= 0 ? chain.allocation(address) : undefined
  const rows = function* (): Generator<ExplorerRows[K]> {
    if (given !== undefined && !newestFirst) yield allocationRow(chain.facts, address, given)
    for (const transaction of newestFirst ? found.toReversed() : found) {
      const own = rowsOf[kind](listing, transaction)
      yield* newestFirst ? own.toReversed() : own
    }
    if (given !== undefined && newestFirst) yield allocationRow(chain.facts, address, given)
  }
  // Makes no more rows than needed: a history may have thousands.
  return listed(kind, flavour, [
    ...rows()
      .drop((page - 1) * size)
      .take(size)
  ])
}

/** The rows of the lists, as the adapter decodes them. */
interface ExplorerRows {
  readonly txlist: typeof calls.Own.Encoded
  readonly txlistinternal: typeof calls.Internal.Encoded
  readonly tokentx: typeof calls.Token.Encoded
}
type ExplorerList = keyof ExplorerRows

/** A request for a list of an address. */
interface Listing {
  readonly flavour: Flavour
  readonly chain: EvmLedger
  readonly address: string
  readonly now: number
}

const placeOf = ({ block }: LedgerTransaction) => ({ blockNumber: String(block), timeStamp: String(timeOf(block)) })

const commonOf = ({ chain, flavour, now }: Listing, transaction: LedgerTransaction) => {
  const { block, gas, hash, input, nonce, price } = transaction
  return {
    ...placeOf(transaction),
    blockHash: hashOf(chain.facts, block),
    hash,
    nonce: String(nonce),
    transactionIndex: String(chain.indexOf(transaction)),
    gas: String(gasLimitOf(transaction)),
    gasUsed: String(gas),
    cumulativeGasUsed: String(gas),
    // Only a transaction that pays for its gas bids.
    gasPrice: String(price === 0n ? 0n : price + flavour.bidsMore),
    confirmations: String(newest(now) - block + 1n),
    ...flavour.called(input)
  }
}

/** Rows of a transaction in the three lists of a holder. */
const rowsOf: {
  readonly [K in ExplorerList]: (listing: Listing, transaction: LedgerTransaction) => ReadonlyArray<ExplorerRows[K]>
} = {
  txlist: (listing, transaction) => {
    const { failed, from, input, isDeprecated, stateRoot, to, value } = transaction
    if (from !== listing.address && to !== listing.address) return []
    const own = {
      ...commonOf(listing, transaction),
      from,
      to: to ?? "",
      value: String(value),
      input: isDeprecated === true && listing.flavour.listsGenesis === true ? "deprecated" : input,
      contractAddress: createdBy(transaction) ?? "",
      isError: failed ? "1" : "0",
      txreceipt_status: stateRoot !== undefined ? "" : failed ? "0" : "1"
    }
    return [own]
  },
  txlistinternal: ({ flavour }, transaction) =>
    transaction.moved.flatMap(({ amount, contract, creates, delegated, error, from, to }, index) =>
      contract !== undefined
        ? []
        : {
            ...placeOf(transaction),
            from,
            to: creates === true ? "" : to,
            value: String(amount),
            contractAddress: creates === true ? to : "",
            gas: "2300",
            gasUsed: "0",
            isError: error === undefined ? "0" : "1",
            errCode: error ?? "",
            ...flavour.internal(transaction.hash, 1 + index),
            ...(delegated === true ? flavour.delegated : {}),
            ...(creates === true ? { ...flavour.creation, type: "create2", input: "" } : {})
          }
    ),
  tokentx: (listing, transaction) =>
    transaction.moved.flatMap(({ amount, contract, creates: _, delegated: __, error: ___, ...parties }) =>
      contract === undefined
        ? []
        : {
            ...commonOf(listing, transaction),
            ...parties,
            value: String(amount),
            contractAddress: contract.address,
            tokenName: contract.coin.name,
            tokenSymbol: contract.coin.symbol.toUpperCase(),
            tokenDecimal: String(contract.decimals),
            input: "deprecated"
          }
    )
}
