const addressChars = 40

/** What the balance scanner returns for an input, as Scanner.yul describes both; undefined is a token without an answer. */
export const scanned = (
  input: string,
  chainId: bigint,
  timestamp: bigint,
  balance: (holder: string, token: string | "native") => bigint | undefined
): string => {
  const number = (from: number, bytes: number) => Number.parseInt(input.slice(2 * from, 2 * (from + bytes)), 16)
  const [start, holderCount, tokenCount] = [number(4, 4), number(8, 2), number(10, 2)]
  const address = (index: number) =>
    `0x${input.slice(24 + index * addressChars, 24 + (index + 1) * addressChars)}`.toLowerCase()
  const width = tokenCount + 1
  let next = start
  let records = ""
  for (; next < holderCount * width && records.length / 2 + 23 + 36 <= 24_576; next++) {
    const holder = address(Math.floor(next / width))
    const token = next % width
    const amount = balance(holder, token === 0 ? "native" : address(holderCount + token - 1))
    if (amount === undefined) records += unsigned(next + 2 ** 31, 4)
    else if (amount > 0n) records += unsigned(next, 4) + unsigned(amount, 32)
  }
  const size = 23 + records.length / 2
  return `0x02${unsigned(chainId, 8)}${unsigned(timestamp, 8)}${unsigned(next, 4)}${unsigned(size, 2)}${records}`
}

const unsigned = (value: number | bigint, bytes: number) => value.toString(16).padStart(2 * bytes, "0")
