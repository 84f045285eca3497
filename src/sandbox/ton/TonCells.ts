import { createHash } from "node:crypto"
import * as Option from "effect/Option"

// Cells, their hashes and bags of cells (docs.ton.org, tvm.pdf 3.1), as far as messages and transactions need them.

/** Up to 1023 bits, as zeros and ones, and up to four references. */
export interface Cell {
  readonly bits: string
  readonly refs: ReadonlyArray<Cell>
}

const magic = 0xb5ee9c72

export const cell = (bits: string, ...refs: ReadonlyArray<Cell>): Cell => ({ bits, refs })

export const uint = (value: bigint | number, bits: number): string =>
  bits === 0 ? "" : BigInt.asUintN(bits, BigInt(value)).toString(2).padStart(bits, "0")

/** A length of `bits` bits, and that number of bytes. */
const sized = (value: bigint, bits: number): string => {
  const bytes = value === 0n ? 0 : Math.ceil(value.toString(16).length / 2)
  return uint(bytes, bits) + uint(value, bytes * 8)
}

export const coins = (value: bigint): string => sized(value, 4)

/** A raw address. */
export const addressBits = (raw: string): string => {
  const [workchain = "0", account = ""] = raw.split(":")
  return `100${uint(BigInt(workchain), 8)}${uint(BigInt(`0x${account}`), 256)}`
}

const bytesOf = (bits: string): Buffer => {
  const whole = bits.length % 8 === 0 ? bits : `${bits}1`.padEnd(Math.ceil((bits.length + 1) / 8) * 8, "0")
  return Buffer.from(
    Array.from({ length: whole.length / 8 }, (_, at) => Number.parseInt(whole.slice(8 * at, 8 * at + 8), 2))
  )
}

const head = ({ bits, refs }: Cell) =>
  Buffer.concat([Buffer.of(refs.length, Math.floor(bits.length / 8) + Math.ceil(bits.length / 8)), bytesOf(bits)])

interface Summary {
  readonly depth: number
  readonly hash: Buffer
}

/** By cell: several others may refer to one, on each level of a tree. */
const summaries = new WeakMap<Cell, Summary>()

const summary = (root: Cell): Summary => {
  const before = summaries.get(root)
  if (before !== undefined) return before
  const refs = root.refs.map(summary)
  const depths = refs.map(({ depth }) => {
    const bytes = Buffer.alloc(2)
    bytes.writeUInt16BE(depth)
    return bytes
  })
  const content = Buffer.concat([head(root), ...depths, ...refs.map(({ hash }) => hash)])
  const made = {
    depth: Math.max(-1, ...refs.map(({ depth }) => depth)) + 1,
    hash: createHash("sha256").update(content).digest()
  }
  summaries.set(root, made)
  return made
}

/** The hash of a cell including its references. */
export const hash = (root: Cell): Buffer => summary(root).hash

/** A bag with one root, base64. */
export const toBoc = (root: Cell): string => {
  const added = new Set<Cell>()
  const add = (current: Cell): void => {
    if (added.has(current)) return
    current.refs.toReversed().forEach(add)
    added.add(current)
  }
  add(root)
  // A cell refers to later ones.
  const all = [...added].reverse()
  const index = new Map(all.map((current, at) => [current, at]))
  const body = Buffer.concat(
    all.map((current) => {
      const refs = Buffer.alloc(2 * current.refs.length)
      current.refs.forEach((ref, at) => {
        refs.writeUInt16BE(index.get(ref) ?? 0, 2 * at)
      })
      return Buffer.concat([head(current), refs])
    })
  )
  const begin = Buffer.alloc(18)
  begin.writeUInt32BE(magic)
  begin.set([2, 4], 4)
  begin.writeUInt16BE(all.length, 6)
  begin.writeUInt16BE(1, 8)
  begin.writeUInt32BE(body.length, 12)
  return Buffer.concat([begin, body]).toString("base64")
}

/** The limits of the network: cells of a message, and levels of cells. */
const maxCells = 8_192
const maxDepth = 1_024

/** The root of a bag of ordinary cells; none if it is invalid. */
export const fromBoc = Option.liftThrowable((text: string): Cell => {
  const bytes = Buffer.from(text, "base64")
  let at = 0
  const number = (length: number) => {
    at += length
    return bytes.readUIntBE(at - length, length)
  }
  if (number(4) !== magic) throw new RangeError("magic")
  const flags = number(1)
  const [size, wide] = [flags & 7, number(1)]
  const [count, roots] = [number(size), number(size)]
  number(size)
  number(wide)
  const root = number(size)
  if (count > maxCells) throw new RangeError("cells")
  at += (roots - 1) * size + ((flags & 0x80) === 0 ? 0 : count * wide)
  const raw = Array.from({ length: count }, () => {
    const [refs, length] = [number(1), number(1)]
    if (refs > 4) throw new RangeError("not an ordinary cell")
    const data = bytes.subarray(at, at + Math.ceil(length / 2))
    if (data.length < Math.ceil(length / 2)) throw new RangeError("end")
    at += data.length
    const bits = [...data].map((byte) => uint(byte, 8)).join("")
    return {
      bits: length % 2 === 0 ? bits : bits.slice(0, bits.lastIndexOf("1")),
      refs: Array.from({ length: refs }, () => number(size))
    }
  })
  const made: Array<Cell> = []
  // A cell only refers to later ones, so there is no cycle.
  for (let from = count - 1; from >= 0; from--) {
    const { bits = "", refs = [] } = raw[from] ?? {}
    const current = cell(
      bits,
      ...refs.map((to) => {
        const found = to > from ? made[to] : undefined
        if (found === undefined) throw new RangeError("reference")
        return found
      })
    )
    if (summary(current).depth > maxDepth) throw new RangeError("depth")
    made[from] = current
  }
  const found = made[root]
  if (found === undefined) throw new RangeError("root")
  return found
})

/** Reads a cell sequentially; throws past the end. */
export const slice = ({ bits, refs }: Cell) => {
  let [at, next] = [0, 0]
  const take = (length: number): string => {
    if (at + length > bits.length) throw new RangeError("end")
    at += length
    return bits.slice(at - length, at)
  }
  const number = (length: number): bigint => (length === 0 ? 0n : BigInt(`0b${take(length)}`))
  return {
    take,
    number,
    is: () => take(1) === "1",
    ref: (): Cell => {
      const found = refs[next++]
      if (found === undefined) throw new RangeError("no more references")
      return found
    },
    left: () => refs.length - next,
    rest: (): Cell => cell(bits.slice(at), ...refs.slice(next)),
    coins: () => number(8 * Number(number(4))),
    /** A raw address; undefined for an empty one. */
    address: (): string | undefined => {
      const kind = take(2)
      if (kind === "00") return undefined
      if (kind !== "10" || take(1) === "1") throw new RangeError("this kind of address is not used")
      const workchain = BigInt.asIntN(8, number(8))
      return `${workchain}:${number(256).toString(16).padStart(64, "0")}`
    }
  }
}

/** A dictionary of values in cells, its keys from 0 on. */
export const dictionary = (width: number, values: ReadonlyArray<Cell>): string | Cell => {
  if (values.length === 0) return "0"
  const build = (entries: ReadonlyArray<readonly [key: string, value: Cell]>): Cell => {
    const [[first = "", value] = []] = entries
    const last = entries.at(-1)?.[0] ?? ""
    let same = 0
    while (same < first.length && first[same] === last[same]) same++
    const label = same === 0 ? "00" : `10${uint(same, Math.ceil(Math.log2(first.length + 1)))}${first.slice(0, same)}`
    if (entries.length === 1) return value === undefined ? cell(label) : cell(label, value)
    const side = (bit: string) =>
      build(entries.filter(([key]) => key[same] === bit).map(([key, leaf]) => [key.slice(same + 1), leaf]))
    return cell(label, side("0"), side("1"))
  }
  return build(values.map((value, index) => [uint(index, width), value]))
}
