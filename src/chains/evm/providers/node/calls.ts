import * as Schema from "effect/Schema"
import * as Call from "../../../../upstream/Call.ts"
import { uint64 } from "../../../kit/holdings/amounts.ts"

// The methods of Ethereum's nodes that the service calls itself; viem makes no calls, it only encodes data. Quantities and
// results of contracts have decoders without a schema (multicall.ts), because balances are read often.

/** The address of the documentation. @public */
export const documentation = "https://ethereum.github.io/execution-apis"

const quantity = (digits: number) => Schema.String.pipe(Schema.pattern(new RegExp(`^0x[0-9a-f]{1,${digits}}$`, "i")))

const Quantity = quantity(64)
const Short = quantity(32)
const Hash = Schema.String.pipe(Schema.pattern(/^0x[0-9a-f]{64}$/i))
const Address = Schema.String.pipe(Schema.pattern(/^0x[0-9a-f]{40}$/i))
const Data = Schema.String.pipe(Schema.pattern(/^0x([0-9a-f]{2})*$/i))
const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

/** A number without lost digits. */
const exact = (digits: number) => quantity(digits).pipe(Schema.filter((text) => Number.isSafeInteger(Number(text))))

const none = () => []

export const chainId = Call.rpc("eth_chainId", { params: none, response: Quantity })

export const blockNumber = Call.rpc("eth_blockNumber", { params: none, response: Quantity })

export const newestBlock = Call.rpc("eth_getBlockByNumber", {
  params: () => ["latest", false] as const,
  response: Schema.Struct({
    number: exact(32),
    timestamp: exact(32),
    baseFeePerGas: maybe(Short),
    gasLimit: maybe(Short)
  })
})

const Block = Schema.Struct({ hash: Hash, number: Quantity, timestamp: Quantity })

export const finalizedBlock = Call.rpc("eth_getBlockByNumber", {
  note: "Nodes of chains without finalized blocks return an error or null.",
  params: () => ["finalized", false] as const,
  response: Block
})

interface OfHash {
  readonly hash: string
}

export const block = Call.rpc("eth_getBlockByHash", {
  params: ({ hash }: OfHash) => [hash, false] as const,
  response: Block,
  about: (found, { hash }) => found.hash.toLowerCase() === hash.toLowerCase()
})

/** An account at a block, by its number or a name. */
interface AtBlock {
  readonly address: string
  readonly block?: string | undefined
}

const atBlock = ({ address, block = "latest" }: AtBlock) => [address, block] as const

export const balance = Call.rpc("eth_getBalance", { params: atBlock, response: Quantity })

export const transactionCount = Call.rpc("eth_getTransactionCount", {
  note: "Nodes between two blocks may return a pending count below the latest.",
  params: atBlock,
  response: Quantity
})

export const code = Call.rpc("eth_getCode", { params: atBlock, response: Data })

export const storage = Call.rpc("eth_getStorageAt", {
  params: ({ address, block = "latest", slot }: AtBlock & { readonly slot: string }) => [address, slot, block] as const,
  response: Quantity
})

interface ContractRead {
  /** Absent if the data is code that runs once. */
  readonly to?: string
  readonly data: string
  readonly gas?: string
  readonly block?: string | undefined
}

export const contract = Call.rpc("eth_call", {
  perOpen: { balance: 1 },
  note: "`0x` from an address without code. Some nodes do not run the code of a caller.",
  params: ({ block = "latest", ...call }: ContractRead) => [call, block] as const,
  response: Data
})

interface Transaction {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly value: string
  readonly data?: string | undefined
}

export const estimateGas = Call.rpc("eth_estimateGas", {
  params: ({ transaction, ...at }: { readonly transaction: Transaction; readonly block?: string }) =>
    at.block === undefined ? ([transaction] as const) : ([transaction, at.block] as const),
  response: Quantity
})

/** Maximum contracts, and storage slots of all contracts, of an access list. */
const maxListed = 10_000

export const accessList = Call.rpc("eth_createAccessList", {
  note: "Some nodes serve access lists only to some callers.",
  params: (transaction: Transaction) => [transaction, "latest"] as const,
  response: Schema.Struct({
    accessList: Schema.Array(
      Schema.Struct({
        address: Schema.Lowercase.pipe(Schema.pattern(/^0x[0-9a-f]{40}$/)),
        storageKeys: Schema.Array(Schema.Lowercase.pipe(Schema.pattern(/^0x[0-9a-f]{64}$/)))
      })
    ).pipe(Schema.filter((all) => all.reduce((sum, { storageKeys }) => sum + 1 + storageKeys.length, 0) <= maxListed)),
    gasUsed: Schema.Unknown,
    /** Why the execution with the list failed. */
    error: maybe(Schema.String)
  }).pipe(Schema.filter(({ error }) => !error))
})

export const gasPrice = Call.rpc("eth_gasPrice", { params: none, response: Quantity })

export const maxPriorityFee = Call.rpc("eth_maxPriorityFeePerGas", { params: none, response: Quantity })

export const feeHistory = Call.rpc("eth_feeHistory", {
  note: "Most nodes append the base fee of the next block.",
  params: ({ blocks, percentiles }: { readonly blocks: number; readonly percentiles: ReadonlyArray<number> }) =>
    [`0x${blocks.toString(16)}`, "latest", percentiles] as const,
  response: Schema.Struct({
    oldestBlock: Short,
    baseFeePerGas: maybe(Schema.Array(Short)),
    gasUsedRatio: Schema.Array(Schema.Number),
    reward: maybe(Schema.Array(Schema.Tuple(Short, Short, Short)))
  })
})

const ofHash = ({ hash }: OfHash) => [hash] as const

const transactionOf = <A extends OfHash, I>(response: Schema.Schema<A, I>) =>
  Call.rpc("eth_getTransactionByHash", {
    params: ofHash,
    response,
    about: (found, { hash }: OfHash) => found.hash.toLowerCase() === hash
  })

const Seen = Schema.Struct({
  hash: Hash,
  from: Address,
  nonce: Quantity,
  blockNumber: maybe(Quantity),
  gasPrice: maybe(Quantity)
})

/** A transaction in a block or in the mempool of a node. */
export const transaction = transactionOf(Seen)

export const pendingTransaction = transactionOf(
  Schema.Struct({
    ...Seen.fields,
    nonce: exact(64),
    type: maybe(Quantity),
    maxFeePerGas: maybe(Quantity),
    maxPriorityFeePerGas: maybe(Quantity),
    maxFeePerBlobGas: maybe(Quantity)
  })
)

export const wholeTransaction = transactionOf(
  Schema.Struct({
    hash: Schema.String,
    from: Address,
    to: maybe(Address),
    value: Quantity,
    nonce: Quantity,
    input: Data,
    gasPrice: maybe(Quantity),
    mint: maybe(Quantity),
    blockNumber: maybe(Quantity)
  })
)

const Digits = Schema.String.pipe(Schema.pattern(/^0x[0-9a-fA-F]+$/))

/** A deposit as a transaction; some nodes leave `mint` out, even if it is not zero. */
export const deposit = transactionOf(Schema.Struct({ hash: Schema.String, type: Digits, mint: maybe(Digits) }))

/** A number up to `most`. */
const within = (most: bigint) => Digits.pipe(Schema.filter((text) => BigInt(text) <= most))

/** With the additions of the OP stack (specs.optimism.io) and others. */
const Receipt = Schema.Struct({
  transactionHash: Schema.String,
  blockNumber: Digits,
  transactionIndex: maybe(Digits),
  /** Missing before Byzantium. */
  status: maybe(Digits),
  type: maybe(Digits),
  gasUsed: within(uint64),
  /** Missing on old nodes and before Bedrock. */
  effectiveGasPrice: maybe(within(uint64)),
  /** Of transactions with blobs (EIP-4844); on the OP stack, all transactions have it, with another meaning. */
  blobGasUsed: maybe(within(uint64)),
  blobGasPrice: maybe(within(uint64)),
  l1Fee: maybe(Digits),
  operatorFeeScalar: maybe(within(2n ** 32n - 1n)),
  operatorFeeConstant: maybe(within(uint64)),
  /** Present since Jovian, which also changed the unit of the scalar. */
  daFootprintGasScalar: maybe(Digits),
  /** Arbitrum: contained in `gasUsed`. */
  gasUsedForL1: maybe(Digits),
  /** Mantle: `l1Fee` is in addition to `gasUsed` or contained in it, depending on the age of the block. */
  tokenRatio: Schema.optional(Schema.Unknown)
})
export type Receipt = typeof Receipt.Type

const receiptOf = <A extends Pick<Receipt, "transactionHash">, I>(response: Schema.Schema<A, I>) =>
  Call.rpc("eth_getTransactionReceipt", {
    params: ofHash,
    response,
    about: (found, { hash }: OfHash) => found.transactionHash.toLowerCase() === hash
  })

export const receipt = receiptOf(Receipt)

export const minedReceipt = receiptOf(Schema.Struct({ ...Receipt.fields, blockHash: Hash, from: Address }))

export const wholeReceipt = receiptOf(
  Schema.Struct({
    ...Receipt.fields,
    blockHash: Schema.String,
    contractAddress: maybe(Address),
    logs: Schema.Array(Schema.Struct({ address: Address, topics: Schema.Array(Data), data: Data, logIndex: Quantity }))
  })
)

export const submit = Call.rpc("eth_sendRawTransaction", {
  params: ({ raw }: { readonly raw: string }) => [raw] as const,
  response: Hash
})
