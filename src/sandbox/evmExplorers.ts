import type { NetworkInfo } from "../networks/Network.ts"
import { ledger, type Move } from "./ledger.ts"
import * as World from "./World.ts"
import { type Asked, json, type Simulated } from "./wire.ts"

type Kind = "txlist" | "txlistinternal" | "tokentx"

interface Flavour {
  /** Says with which words that there is nothing; Routescan calls it a success. */
  readonly empty: (kind: Kind) => { readonly status: string; readonly message: string }
  /** Members of internal calls that differ. */
  readonly internal: (hash: string) => Readonly<Record<string, string>>
  /** What the OP stack charges beside gas. */
  readonly dataFee: string
  /** What its price of gas is more than what was paid: some show the bid. */
  readonly bidsMore: bigint
}

const byHash = (hash: string) => ({ hash, traceId: "0_1", type: "call" })
const none = { status: "0", message: "No transactions found" }

const flavours = {
  etherscan: { empty: () => none, internal: byHash, dataFee: "L1FeesPaid", bidsMore: 0n },
  routescan: { empty: () => ({ status: "1", message: "OK" }), internal: byHash, dataFee: "L1FeesPaid", bidsMore: 3n },
  blockscout: {
    empty: (kind: Kind) => ({
      status: "0",
      message: {
        txlist: "No transactions found",
        txlistinternal: "No internal transactions found",
        tokentx: "No token transfers found"
      }[kind]
    }),
    internal: (transactionHash: string) => ({ transactionHash, index: "1", callType: "call", type: "call" }),
    dataFee: "l1Fee",
    bidsMore: 3n
  }
} satisfies Record<string, Flavour>

const chainOf = (infos: ReadonlyArray<NetworkInfo>, id: string) => infos.find(({ chainId }) => String(chainId) === id)

/** A paid plan: it serves every network. */
export const etherscan =
  (infos: ReadonlyArray<NetworkInfo>): Simulated =>
  (asked) => {
    const { query } = asked
    const info = chainOf(infos, query.get("chainid") ?? "")
    if (!query.get("apikey")) return json({ status: "0", message: "NOTOK", result: "Missing/Invalid API Key" })
    if (info === undefined)
      return json({ status: "0", message: "NOTOK", result: "Missing or unsupported chainid parameter" })
    return answer(info, flavours.etherscan, asked)
  }

export const routescan =
  (infos: ReadonlyArray<NetworkInfo>): Simulated =>
  (asked) => {
    const info = chainOf(infos, /\/(\d+)\/etherscan\/api$/.exec(asked.path)?.[1] ?? "")
    return info === undefined
      ? json({ status: "0", message: "chain not supported", result: null })
      : answer(info, flavours.routescan, asked)
  }

export const blockscout =
  (info: NetworkInfo): Simulated =>
  (asked) =>
    answer(info, flavours.blockscout, asked)

const answer = (info: NetworkInfo, flavour: Flavour, { query }: Asked) => {
  const action = query.get("action") ?? ""
  const address = (query.get("address") ?? "").toLowerCase()
  if (action === "balance") return json({ status: "1", message: "OK", result: String(World.native(info, address)) })
  // Nobody in this world has NFTs.
  if (action === "tokennfttx" || action === "token1155tx") return json({ ...none, result: [] })
  if (!isKind(action)) return json({ status: "0", message: "NOTOK", result: "Error! Missing Or invalid Action name" })
  const newestFirst = query.get("sort") === "desc"
  const number = (name: string, otherwise: number) => Number(query.get(name) ?? otherwise)
  const size = number("offset", 10_000)
  const from = (number("page", 1) - 1) * size
  const rows = ledger(info, address)
    .flatMap((move, index) => rowsOf(flavour, address, move, index)[action])
    .filter(({ blockNumber }) => Number(blockNumber) >= number("startblock", 0))
    .filter(({ blockNumber }) => Number(blockNumber) <= number("endblock", Number.POSITIVE_INFINITY))
  const page = (newestFirst ? rows.reverse() : rows).slice(from, from + size)
  return json(
    page.length === 0 ? { ...flavour.empty(action), result: [] } : { status: "1", message: "OK", result: page }
  )
}

const isKind = (action: string): action is Kind => ["txlist", "txlistinternal", "tokentx"].includes(action)

type Row = Readonly<Record<string, string>> & { readonly blockNumber: string }

/** The gas of a transaction: with a whole number for the price it makes up the fee. */
export const gasOf = (fee: bigint) => (fee % 25_000n === 0n ? 25_000n : 1n)

/**
 * How one move shows on the three lists. Of what comes in natively, every third is sent on by a contract; of a token that
 * comes in, the transaction is somebody else's.
 */
const rowsOf = (flavour: Flavour, holder: string, move: Move, index: number): Record<Kind, ReadonlyArray<Row>> => {
  const { amount, at, contract, direction, failed, fee } = move
  const hash = `0x${move.id}`
  const other = `0x${move.other.slice(0, 40)}`
  const [from, to] = direction === "in" ? [other, holder] : [holder, other]
  const gasUsed = gasOf(fee)
  const common = {
    // A block for every second.
    blockNumber: String(at - 1_700_000_000),
    timeStamp: String(at),
    transactionIndex: "0",
    gasUsed: String(gasUsed),
    gasPrice: String(fee / gasUsed + flavour.bidsMore),
    [flavour.dataFee]: "0"
  }
  const own = {
    ...common,
    hash,
    nonce: String(index),
    from,
    contractAddress: "",
    isError: failed ? "1" : "0",
    txreceipt_status: failed ? "0" : "1"
  }
  if (contract !== undefined) {
    const data = `0xa9059cbb${to.slice(2).padStart(64, "0")}${amount.toString(16).padStart(64, "0")}`
    const token = {
      ...common,
      hash,
      nonce: String(index),
      from,
      to,
      contractAddress: contract.address,
      value: String(amount),
      tokenName: contract.coin.name,
      tokenSymbol: contract.coin.symbol.toUpperCase(),
      tokenDecimal: String(contract.decimals),
      input: "deprecated"
    }
    const sent = [{ ...own, to: contract.address, value: "0", input: data }]
    return { txlist: direction === "in" ? [] : sent, txlistinternal: [], tokentx: [token] }
  }
  if (direction === "in" && index % 3 === 1) {
    const call = {
      ...common,
      from,
      to,
      value: String(amount),
      contractAddress: "",
      input: "",
      isError: "0",
      errCode: ""
    }
    return { txlist: [], txlistinternal: [{ ...call, ...flavour.internal(hash) }], tokentx: [] }
  }
  return { txlist: [{ ...own, to, value: String(amount), input: "0x" }], txlistinternal: [], tokentx: [] }
}
