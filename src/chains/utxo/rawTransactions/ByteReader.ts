/** Reads bytes one after another. After the first problem, all that it reads is empty. */
export interface Reader {
  readonly at: () => number
  readonly left: () => number
  readonly problem: () => string | undefined
  readonly fail: (problem: string) => void
  /** `what` is the message where the bytes end too early. */
  readonly skip: (count: number, what: string) => void
  readonly byte: (what: string) => number
  /** Eight bytes with a sign, the lowest first. */
  readonly amount: (what: string) => bigint
  /** A compact size, which must be written as short as it can be. */
  readonly size: (what: string) => number
  /** A list whose length is a compact size, and that length. */
  readonly list: (what: string, readNext: () => void) => number
}

/** Nodes refuse longer scripts and lists before they read them. */
const maxSize = 0x2000000

export const reader = (bytes: Buffer): Reader => {
  let at = 0
  let problem: string | undefined

  const fail = (what: string) => {
    problem ??= what
  }

  const take = <A>(count: number, what: string, empty: A, read: (offset: number) => A): A => {
    if (problem !== undefined) return empty
    if (count > bytes.length - at) {
      fail(`it ends in the midst of ${what}`)
      return empty
    }
    at += count
    return read(at - count)
  }

  const skip = (count: number, what: string) => take(count, what, undefined, () => undefined)
  const byte = (what: string) => take(1, what, 0, (offset) => bytes.readUInt8(offset))

  const size = (what: string) => {
    const first = byte(what)
    if (first < 0xfd) return first
    const value =
      first === 0xfd
        ? take(2, what, 0, (offset) => bytes.readUInt16LE(offset))
        : first === 0xfe
          ? take(4, what, 0, (offset) => bytes.readUInt32LE(offset))
          : take(8, what, 0, (offset) => Number(bytes.readBigUInt64LE(offset)))
    const least = first === 0xfd ? 0xfd : first === 0xfe ? 0x10000 : 0x100000000
    if (value < least) fail(`${what} is written longer than it has to be`)
    if (value > maxSize) fail(`${what} is larger than any`)
    return problem === undefined ? value : 0
  }

  return {
    at: () => at,
    left: () => bytes.length - at,
    problem: () => problem,
    fail,
    skip,
    byte,
    size,
    amount: (what) => take(8, what, 0n, (offset) => bytes.readBigInt64LE(offset)),
    list: (what, readNext) => {
      const count = size(`the number of ${what}`)
      for (let index = 0; index < count && problem === undefined; index++) readNext()
      return problem === undefined ? count : 0
    }
  }
}
