import * as Option from "effect/Option"
import type { Own } from "../providers/etherscan/calls.ts"

// The events of tokens in a receipt: `Transfer` of ERC-20 and ERC-721, `TransferSingle` and `TransferBatch` of ERC-1155
// (eips.ethereum.org), as rows of explorers.

export interface TokenLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
  readonly logIndex: string
}

export type Place = Pick<Own, "blockNumber" | "timeStamp" | "transactionIndex">

/** The topic of `Transfer(address,address,uint256)`, of tokens and of unique tokens. */
export const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
/** The topic of `TransferSingle(address,address,address,uint256,uint256)`. */
export const singleTopic = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62"
/** The topic of `TransferBatch(address,address,address,uint256[],uint256[])`. */
export const batchTopic = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb"

/** Amounts that an event moves; `tokenID` for collectibles. */
interface MovedTokens {
  readonly parties: readonly [from: string | undefined, to: string | undefined]
  readonly amounts: ReadonlyArray<{ readonly value?: string; readonly tokenID?: string }> | undefined
}

const wordsIn = (digits: string): ReadonlyArray<bigint> =>
  (digits.match(/[0-9a-f]{64}/gi) ?? []).map((word) => BigInt(`0x${word}`))

/** The array at an offset in encoded data; undefined if it is not all there. */
const listAt = (words: ReadonlyArray<bigint>, offset = -1n) => {
  const start = Number(offset / 32n)
  const count = words[start]
  if (offset % 32n !== 0n || count === undefined) return undefined
  const items = words.slice(start + 1, start + 1 + Number(count))
  return BigInt(items.length) === count ? items : undefined
}

const piecesIn = ([idsAt, valuesAt, ...rest]: ReadonlyArray<bigint>): MovedTokens["amounts"] => {
  const words = [0n, 0n, ...rest]
  const [ids, values] = [listAt(words, idsAt), listAt(words, valuesAt)]
  return ids === undefined || ids.length !== values?.length
    ? undefined
    : ids.map((id, index) => ({ tokenID: String(id), value: String(values[index]) }))
}

/** What an event moves; undefined for events that move no tokens. */
const movedBy = ({ data, topics: [topic, ...indexed] }: TokenLog): MovedTokens | undefined => {
  const words = wordsIn(data.slice(2))
  const [first, second, third, fourth] = indexed
  const [id, value] = words
  switch (topic?.toLowerCase()) {
    case transferTopic: {
      const amount = data.length === 66 ? [{ value: String(id) }] : undefined
      const parties = [first, second] as const
      return { parties, amounts: third === undefined ? amount : [{ tokenID: String(BigInt(third)) }] }
    }
    case singleTopic:
      return {
        parties: [second, third],
        amounts:
          value === undefined || fourth !== undefined ? undefined : [{ tokenID: String(id), value: String(value) }]
      }
    case batchTopic:
      return { parties: [second, third], amounts: piecesIn(words) }
    default:
      return undefined
  }
}

const addressIn = (topic = "") => /^0x0{24}([0-9a-f]{40})$/.exec(topic.toLowerCase())?.[1]

/** The transfers of tokens in the logs of a receipt, as rows; none for a transfer that cannot be read. */
export const tokenRows = (
  hash: string,
  place: Place,
  logs: ReadonlyArray<TokenLog>
): ReadonlyArray<Option.Option<unknown>> =>
  logs.flatMap((log) => {
    const moved = movedBy(log)
    if (moved === undefined) return []
    const [from, to] = moved.parties.map(addressIn)
    if (from === undefined || to === undefined || moved.amounts === undefined) return [Option.none()]
    const parties = { from: `0x${from}`, to: `0x${to}`, contractAddress: log.address.toLowerCase() }
    return moved.amounts.map((amount, index) =>
      Option.some({ hash, ...place, ...parties, ...amount, logIndex: `${BigInt(log.logIndex)} ${index}` })
    )
  })
