import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Anvil } from "./anvil.ts"

type Node = Context.Tag.Service<Anvil>

interface Sent {
  readonly hash: string
  readonly nonce: string
  readonly from: string
  readonly to: string | null
  readonly value: string
  readonly input: string
  readonly transactionIndex: string
}

interface Receipt {
  readonly status: string
  readonly gasUsed: string
  readonly effectiveGasPrice: string
  readonly contractAddress: string | null
  readonly logs: ReadonlyArray<{
    readonly address: string
    readonly topics: ReadonlyArray<string>
    readonly data: string
  }>
}

interface Frame {
  readonly type: string
  readonly from: string
  readonly to?: string
  readonly value?: string
  readonly error?: string
  readonly calls?: ReadonlyArray<Frame>
}

/** Data that the explorer omits although the node has it. */
export interface Gaps {
  /** Omits status and gas of transactions. */
  readonly outcomes?: boolean
  /** Has not indexed the newest block: lists its transactions as pending. */
  readonly newest?: boolean
  /** Lists transactions of other senders only by internal and token transfers. */
  readonly others?: boolean
  /** Dropped transactions that it still lists as pending. */
  readonly dropped?: ReadonlyArray<Sent>
}

const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
const decimal = (hex: string | undefined) => String(BigInt(hex || "0x0"))

const within = (frame: Frame): ReadonlyArray<Frame> => (frame.calls ?? []).flatMap((inner) => [inner, ...within(inner)])

/**
 * An explorer's lists for an address, built from the node's whole chain, with gaps. Calls inside a failed call are
 * listed as successful.
 */
export const listsOf = Effect.fnUntraced(function* (node: Node, address: string, gaps: Gaps = {}) {
  const height = Number(yield* node.rpc("eth_blockNumber", []))
  const lists = {
    txlist: [] as Array<Record<string, string>>,
    txlistinternal: [] as Array<Record<string, string>>,
    tokentx: [] as Array<Record<string, string>>
  }
  const concerns = (...parties: ReadonlyArray<string | null | undefined>) => parties.includes(address)
  for (let number = 1; number <= height; number++) {
    const block = (yield* node.rpc("eth_getBlockByNumber", [`0x${number.toString(16)}`, true])) as {
      readonly timestamp: string
      readonly transactions: ReadonlyArray<Sent>
    }
    for (const sent of block.transactions) {
      const receipt = (yield* node.rpc("eth_getTransactionReceipt", [sent.hash])) as Receipt
      const trace = (yield* node.rpc("debug_traceTransaction", [sent.hash, { tracer: "callTracer" }])) as Frame
      const waits = gaps.newest === true && number === height
      const failed = receipt.status === "0x0"
      const common = {
        hash: sent.hash,
        blockNumber: waits ? "" : String(number),
        timeStamp: waits ? "" : decimal(block.timestamp),
        transactionIndex: decimal(sent.transactionIndex)
      }
      const gas =
        gaps.outcomes === true || waits
          ? {}
          : { gasUsed: decimal(receipt.gasUsed), gasPrice: decimal(receipt.effectiveGasPrice) }
      const outcome =
        gaps.outcomes === true || waits ? {} : { isError: failed ? "1" : "0", txreceipt_status: failed ? "0" : "1" }
      if (concerns(sent.from, sent.to) && !(gaps.others === true && sent.from !== address))
        lists.txlist.push({
          ...common,
          ...gas,
          ...outcome,
          nonce: decimal(sent.nonce),
          from: sent.from,
          to: sent.to ?? "",
          contractAddress: receipt.contractAddress ?? "",
          value: decimal(sent.value),
          input: sent.input
        })
      if (waits) continue
      for (const frame of within(trace))
        if (concerns(frame.from, frame.to))
          lists.txlistinternal.push({
            ...common,
            from: frame.from,
            to: frame.to ?? "",
            value: decimal(frame.value),
            type: frame.type.toLowerCase(),
            isError: frame.error === undefined ? "0" : "1"
          })
      for (const { address: contractAddress, data, topics } of receipt.logs) {
        const [topic, from, to] = topics.map((word, index) => (index === 0 ? word : `0x${word.slice(-40)}`))
        if (topic === transferTopic && concerns(from, to))
          lists.tokentx.push({
            ...common,
            ...gas,
            from: from ?? "",
            to: to ?? "",
            contractAddress,
            value: decimal(data)
          })
      }
    }
  }
  for (const { from, hash, input, nonce, to, value } of gaps.dropped ?? [])
    lists.txlist.push({
      hash,
      from,
      to: to ?? "",
      input,
      nonce: decimal(nonce),
      value: decimal(value),
      blockNumber: ""
    })
  return lists
})
