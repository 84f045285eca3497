import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as World from "../world/World.ts"
import { json, type Simulated, type SimulatedRequest } from "../world/wire.ts"
import { timeOf } from "./EvmChain.ts"
import type { EvmLedger, Ledgers } from "./EvmLedger.ts"
import type { LedgerTransaction } from "./evmPool.ts"

type ExplorerList = "txlist" | "txlistinternal" | "tokentx"

interface Flavour {
  /** Status and message of an empty list; Routescan reports success. */
  readonly empty: (kind: ExplorerList) => { readonly status: string; readonly message: string }
  /** Fields of internal calls that differ between explorers. */
  readonly internal: (hash: string) => Readonly<Record<string, string>>
  /** Difference of `gasPrice` to the paid price, wei: some explorers report the bid. */
  readonly bidsMore: bigint
}

const byHash = (hash: string) => ({ hash, traceId: "0_1", type: "call" })
const none = { status: "0", message: "No transactions found" }

const flavours = {
  etherscan: { empty: () => none, internal: byHash, bidsMore: 0n },
  routescan: { empty: () => ({ status: "1", message: "OK" }), internal: byHash, bidsMore: 3n },
  blockscout: {
    empty: (kind: ExplorerList) => ({
      status: "0",
      message: {
        txlist: "No transactions found",
        txlistinternal: "No internal transactions found",
        tokentx: "No token transfers found"
      }[kind]
    }),
    internal: (transactionHash: string) => ({ transactionHash, index: "1", callType: "call", type: "call" }),
    bidsMore: 3n
  }
} satisfies Record<string, Flavour>

const chainOf = (networks: ReadonlyArray<NetworkFacts>, id: string) =>
  networks.find(({ chainId }) => String(chainId) === id)

/** Etherscan with a paid plan, which covers every network. */
export const etherscan =
  (networks: ReadonlyArray<NetworkFacts>, ledgers: Ledgers): Simulated =>
  (request) => {
    const { query } = request
    const facts = chainOf(networks, query.get("chainid") ?? "")
    if (!query.get("apikey")) return json({ status: "0", message: "NOTOK", result: "Missing/Invalid API Key" })
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

const answer = (facts: NetworkFacts, chain: EvmLedger, flavour: Flavour, { query }: SimulatedRequest) => {
  const action = query.get("action") ?? ""
  const address = (query.get("address") ?? "").toLowerCase()
  if (action === "balance") return json({ status: "1", message: "OK", result: String(World.native(facts, address)) })
  // No address in this world has NFTs.
  if (action === "tokennfttx" || action === "token1155tx") return json({ ...none, result: [] })
  if (!isKind(action)) return json({ status: "0", message: "NOTOK", result: "Error! Missing Or invalid Action name" })
  const newestFirst = query.get("sort") === "desc"
  const number = (name: string, otherwise: number) => Number(query.get(name) ?? otherwise)
  const size = number("offset", 10_000)
  const from = (number("page", 1) - 1) * size
  const rows = chain
    .of(address)
    .flatMap((transaction) => rowsOf(flavour, address, transaction)[action])
    .filter(({ blockNumber }) => Number(blockNumber) >= number("startblock", 0))
    .filter(({ blockNumber }) => Number(blockNumber) <= number("endblock", Number.POSITIVE_INFINITY))
  const page = (newestFirst ? rows.reverse() : rows).slice(from, from + size)
  return json(
    page.length === 0 ? { ...flavour.empty(action), result: [] } : { status: "1", message: "OK", result: page }
  )
}

const isKind = (action: string): action is ExplorerList => ["txlist", "txlistinternal", "tokentx"].includes(action)

type ExplorerRow = Readonly<Record<string, string>> & { readonly blockNumber: string }

/** Rows of a transaction in the three lists of a holder. */
const rowsOf = (
  flavour: Flavour,
  holder: string,
  transaction: LedgerTransaction
): Record<ExplorerList, ReadonlyArray<ExplorerRow>> => {
  const { block, failed, from, gas, hash, input, moved, nonce, price, to, value } = transaction
  const common = {
    blockNumber: String(block),
    timeStamp: String(timeOf(block)),
    transactionIndex: "0",
    gasUsed: String(gas),
    // Only a transaction that pays for its gas bids.
    gasPrice: String(price === 0n ? 0n : price + flavour.bidsMore)
  }
  const own = {
    ...common,
    hash,
    nonce: String(nonce),
    from,
    to: to ?? "",
    value: String(value),
    input,
    contractAddress: "",
    isError: failed ? "1" : "0",
    txreceipt_status: failed ? "0" : "1"
  }
  const rows = moved.map(({ amount, contract, ...parties }) => {
    const part = { ...common, ...parties, value: String(amount) }
    if (contract === undefined)
      return { ...part, contractAddress: "", input: "", isError: "0", errCode: "", ...flavour.internal(hash) }
    return {
      ...part,
      hash,
      nonce: String(nonce),
      contractAddress: contract.address,
      tokenName: contract.coin.name,
      tokenSymbol: contract.coin.symbol.toUpperCase(),
      tokenDecimal: String(contract.decimals),
      input: "deprecated"
    }
  })
  return {
    txlist: from === holder || to === holder ? [own] : [],
    txlistinternal: rows.filter(({ contractAddress }) => contractAddress === ""),
    tokentx: rows.filter(({ contractAddress }) => contractAddress !== "")
  }
}
