import type { Hex } from "viem"
import { decodeFunctionData, parseAbi } from "viem/utils"
import { scannerBytecode } from "../../src/chains/evm/scanner/bytecode.ts"
import { exact } from "./changes.ts"
import type { Place } from "./places.ts"

// Values inside of encoded bytes: balances that a contract returns together, and storage of Polkadot.

/** A number inside of bytes that a response contains in hexadecimal digits. */
interface Part {
  readonly name: string
  /** Span of its digits in the text that the bytes are in. */
  readonly start: number
  readonly end: number
  /** The part of the request that it answers. */
  readonly about: string
  /** The lowest byte is first. */
  readonly isLittle?: true
}

/** Spans in bytes from `at` on, in this order. */
const inOrder = (at: number, about: string, lengths: Readonly<Record<string, number>>, isLittle?: true) => {
  let start = at
  return Object.entries(lengths).map(([name, length]): Part => {
    const part = { name, start: 2 * start, end: 2 * (start + length), about }
    start += length
    return isLittle === undefined ? part : { ...part, isLittle }
  })
}

const addressesIn = (digits: string) => digits.match(/.{40}/g) ?? []

/** The output of the scanner contract: a head, and each balance that is not zero after the number of its pair. */
const scanned = (data: string, output: string): ReadonlyArray<Part> => {
  const input = data.slice(scannerBytecode.length)
  const holders = addressesIn(input.slice(24, 24 + 40 * Number.parseInt(input.slice(16, 20), 16)))
  const width = 1 + Number.parseInt(input.slice(20, 24), 16)
  const parts = [...inOrder(1, "", { chain: 8, time: 8, next: 4, length: 2 })]
  for (let at = 23; 2 * at < output.length; ) {
    const word = Number.parseInt(output.slice(2 * at, 2 * at + 8), 16)
    const [pair, isUnread] = [word % 2 ** 31, word >= 2 ** 31]
    const what = pair % width === 0 ? "native" : "token"
    const lengths = { [`${what} pair`]: 4, ...(isUnread ? {} : { [`${what} balance`]: 32 }) }
    parts.push(...inOrder(at, holders[Math.floor(pair / width)] ?? "", lengths))
    at += isUnread ? 4 : 36
  }
  return parts
}

const abi = parseAbi([
  "struct Call3 { address target; bool allowFailure; bytes callData; }",
  "function aggregate3(Call3[] calls) payable"
])

const aggregated = "0x82ad56cb"
/** What a call of `aggregate3` returns, by the first bytes of its data; otherwise the balance of a token. */
const results: Readonly<Record<string, string>> = {
  "0x4d2301cc": "native",
  "0x313ce567": "decimals",
  "0x0f28c97d": "time",
  "0x3408e470": "chain"
}

const callsOf = (data: string) => {
  try {
    return decodeFunctionData({ abi, data: data as Hex }).args[0]
  } catch {
    return []
  }
}

/** The results of `aggregate3`: whether each call succeeded, and its first word. */
const aggregate = (data: string, output: string): ReadonlyArray<Part> =>
  callsOf(data).flatMap(({ callData }, index) => {
    const wordAt = (byte: number) => Number.parseInt(output.slice(2 * byte, 2 * byte + 64), 16)
    const at = 64 + wordAt(64 + 32 * index)
    const what = results[callData.slice(0, 10)] ?? "token"
    const parts = inOrder(at, callData, {
      [`${what} success`]: 32,
      "": 32,
      [`${what} length`]: 32,
      [`${what} word`]: 32
    })
    return parts.filter(({ end, name }) => name !== "" && end <= output.length)
  })

/** Values of storage on Polkadot, by their length in bytes. */
const stored: Readonly<Record<number, Readonly<Record<string, number>>>> = {
  4: { height: 4 },
  8: { time: 8 },
  18: { "token balance": 16, status: 1 },
  80: { nonce: 4, consumers: 4, providers: 4, sufficients: 4, free: 16, reserved: 16, frozen: 16 }
}

const shifted = (by: number, parts: ReadonlyArray<Part>): ReadonlyArray<Part> =>
  parts.map((part) => ({ ...part, start: part.start + by, end: part.end + by }))

/** The parts of the value at a place, if the call that it answers encodes them. */
export const partsIn = (call: string, text: string, { children, end, start }: Place): ReadonlyArray<Part> => {
  const digits = children.length === 0 ? (/^"0x([0-9a-f]+)"$/i.exec(text.slice(start, end))?.[1] ?? "") : ""
  const data = /"data":"(0x[0-9a-f]*)"/i.exec(call)?.[1] ?? ""
  const parts = /state_(get|query)/.test(call)
    ? inOrder(0, "", stored[digits.length / 2] ?? {}, true)
    : data.startsWith(scannerBytecode) && digits.startsWith("02")
      ? scanned(data, digits)
      : data.startsWith(aggregated) && digits.length > 128
        ? aggregate(data, digits)
        : []
  // After the quotation mark and 0x.
  return shifted(start + 3, parts)
}

const written = ({ end, isLittle, start }: Part, value: bigint): string => {
  const digits = BigInt.asUintN(4 * (end - start), value)
    .toString(16)
    .padStart(end - start, "0")
  return isLittle ? (digits.match(/../g) ?? []).toReversed().join("") : digits
}

/** A change of a part; undefined if the part is too short for it. */
const number = (name: string, bits: number, value: bigint, isPlausible?: true): PartChange => ({
  name,
  of: (part) => (4 * (part.end - part.start) > bits ? written(part, value) : undefined),
  ...(isPlausible === undefined ? {} : { isPlausible })
})

/** A change of a part: its length stays. */
interface PartChange {
  readonly name: string
  readonly of: (part: Part) => string | undefined
  readonly isPlausible?: true
}

export const partChanges: ReadonlyArray<PartChange> = [
  number("negative", 0, -7n),
  number("zero", 0, 0n, true),
  number(exact.name, 53, exact.value, true),
  number("above 2^64", 64, 2n ** 64n + 1n, true),
  number("above 2^120", 120, 2n ** 120n + 1n),
  number("above 2^130", 130, 2n ** 130n + 1n)
]
