/** What an EVM transaction executes. */
export interface Execution {
  readonly gasLimit: string
  /** Null: it creates a contract. */
  readonly to: string | null
  /** Wei. */
  readonly value: string
  /** `0x` and whole bytes. */
  readonly data: string
}

/** The items of a list in RLP, in hex digits; undefined if it is cut off. Lists in it are unread. */
const itemsOf = (hex: string): ReadonlyArray<string> | undefined => {
  const numberAt = (at: number, bytes: number) => Number.parseInt(hex.slice(at, at + 2 * bytes), 16)
  /** The first digit of the content, and the one after it. */
  const rangeAt = (at: number): readonly [number, number] => {
    const first = numberAt(at, 1)
    if (first < 0x80) return [at, at + 2]
    const long = first >= 0xf8 ? first - 0xf7 : first >= 0xb8 && first < 0xc0 ? first - 0xb7 : 0
    const start = at + 2 + 2 * long
    const length = long > 0 ? numberAt(at + 2, long) : first - (first < 0xc0 ? 0x80 : 0xc0)
    return [start, start + 2 * length]
  }
  const [from, end] = rangeAt(0)
  const items: Array<string> = []
  for (let at = from; at < end; ) {
    const [start, next] = rangeAt(at)
    if (!(next > at && next <= hex.length)) return undefined
    items.push(hex.slice(start, next))
    at = next
  }
  return items
}

/** The index of the recipient, by type (EIP-2718). Of other types a node would need more than the call. */
const recipientAt: Readonly<Record<string, number>> = { "01": 4, "02": 5 }

/** What a signed EVM transaction executes; undefined if this page does not read its type. */
export const executionOf = (text: string): Execution | undefined => {
  const hex = text.trim().replace(/^0x/i, "").toLowerCase()
  const at = recipientAt[hex.slice(0, 2)]
  const isLegacy = /^[c-f]/.test(hex)
  if (!/^[\da-f]+$/.test(hex) || (at === undefined && !isLegacy)) return undefined
  const [gasLimit, to, value, data] = itemsOf(isLegacy ? hex : hex.slice(2))?.slice((at ?? 3) - 1) ?? []
  if (gasLimit === undefined || to === undefined || value === undefined || data === undefined) return undefined
  const decimal = (digits: string) => String(BigInt(`0x0${digits}`))
  return { gasLimit: decimal(gasLimit), to: to === "" ? null : `0x${to}`, value: decimal(value), data: `0x${data}` }
}

/** Whether the limit suffices for the gas that a node estimates; undefined if that is not decimal. */
export const hasEnoughGas = ({ gasLimit }: Execution, gas: string): boolean | undefined =>
  /^\d{1,78}$/.test(gas) ? BigInt(gas) <= BigInt(gasLimit) : undefined
