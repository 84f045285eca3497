import type { TonPrices } from "../../Provider.ts"

// A parameter of the configuration is a bag of cells (block.tlb: GasLimitsPrices, MsgForwardPrices).

/** Reads bytes sequentially; undefined past the end. */
const reader = (bytes: Buffer) => {
  let at = 0
  return (length: number): bigint | undefined => {
    if (at + length > bytes.length) return undefined
    at += length
    return length === 0 ? 0n : BigInt(`0x${bytes.subarray(at - length, at).toString("hex")}`)
  }
}

/** The data of a bag that is a single cell without references; undefined for any other bag. */
const onlyCell = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, "base64")
  const next = reader(bytes)
  if (next(4) !== 0xb5ee9c72n) return undefined
  const flags = Number(next(1) ?? 0n)
  const [size, offset] = [flags & 7, Number(next(1) ?? 0n)]
  if (size < 1 || size > 4 || offset < 1 || offset > 8) return undefined
  const [cells, roots, absent] = [next(size), next(size), next(size)]
  if (cells !== 1n || roots !== 1n || absent !== 0n) return undefined
  const skipped = [next(offset), next(size), (flags & 0x80) === 0 ? 0n : next(offset)]
  const [references, length] = [next(1), next(1)]
  if (skipped.includes(undefined) || references !== 0n || length === undefined) return undefined
  // Accepts only whole bytes: with an odd length, the last byte is used partly.
  const start = 4 + 2 + 3 * size + offset + size + ((flags & 0x80) === 0 ? 0 : offset) + 2
  const end = start + Number(length) / 2
  return length % 2n === 0n && end <= bytes.length ? bytes.subarray(start, end) : undefined
}

/** Decodes parameters 20 and 21. */
export const gasPrices = (cell: string): TonPrices["gas"] | undefined => {
  const next = reader(onlyCell(cell) ?? Buffer.alloc(0))
  const tag = next(1)
  const [flatLimit, flatPrice, inner] = tag === 0xd1n ? [next(8), next(8), next(1)] : [0n, 0n, tag]
  if (inner !== 0xddn && inner !== 0xden) return undefined
  const price = next(8)
  return flatLimit === undefined || flatPrice === undefined || price === undefined
    ? undefined
    : { flatLimit, flatPrice, price }
}

/** Decodes parameters 24 and 25. */
export const messagePrices = (cell: string): TonPrices["message"] | undefined => {
  const next = reader(onlyCell(cell) ?? Buffer.alloc(0))
  if (next(1) !== 0xean) return undefined
  const [lump, bit, price] = [next(8), next(8), next(8)]
  return lump === undefined || bit === undefined || price === undefined ? undefined : { lump, bit, cell: price }
}
