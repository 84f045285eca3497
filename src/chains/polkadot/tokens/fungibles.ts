import * as Option from "effect/Option"
import { hexToBytes } from "viem/utils"
import { compactAt } from "../storage.ts"

// `FungiblesApi_query_account_balances` (polkadot-sdk, cumulus/parachains/runtimes/assets): the result of the assets of an
// account, each with its location (polkadot-sdk, polkadot/xcm: V3 to V5, whose forms are the same).

/** The assets of an account, as far as they have ids in the pallet Assets; others are only counted. */
export interface AccountAssets {
  readonly ids: ReadonlyArray<bigint>
  /** Assets of other pallets and of other chains, without DOT. */
  readonly others: number
}

/** A result with more assets is not read. */
const maxAssets = 10_000

/** The pallet Assets. */
const palletAssets = 50n

/** Reads bytes from the start on; throws at their end, and at an unknown form. */
const cursor = (bytes: Uint8Array) => {
  let at = 0
  const skip = (count: number) => {
    at += count
    if (at > bytes.length) throw new RangeError("the end")
  }
  const byte = (): number => {
    skip(1)
    return bytes[at - 1] ?? 0
  }
  const compact = (): bigint => {
    const [value = 0n, end = Number.NaN] = compactAt(bytes, at) ?? []
    if (!(end > at)) throw new RangeError("no compact integer")
    at = end
    return value
  }
  return { byte, compact, skip, isAtEnd: () => at === bytes.length }
}

type Cursor = ReturnType<typeof cursor>

const unknownForm = (): never => {
  throw new RangeError("an unknown form")
}

/** Each skips what follows the index of a network: the hash of its first block, a fork, or the number of a chain. */
const networks: ReadonlyArray<(of: Cursor) => unknown> = [
  ({ skip }) => skip(32),
  ({ skip }) => skip(40),
  ...Array.from({ length: 5 }, () => () => undefined),
  ({ compact }) => compact(),
  ...Array.from({ length: 3 }, () => () => undefined)
]

const network = (of: Cursor) => (networks[of.byte()] ?? unknownForm)(of)

const optionalNetwork = (of: Cursor) => (of.byte() === 0 ? undefined : network(of))

/** A part of a location; its value if it is an index. */
interface Junction {
  readonly kind: number
  readonly value?: bigint
}

/** The parts that are read, by their index in the enumeration; bodies are unknown forms. */
const junctions: ReadonlyArray<(of: Cursor) => unknown> = [
  ({ compact }) => compact(),
  (of) => [optionalNetwork(of), of.skip(32)],
  (of) => [optionalNetwork(of), of.compact()],
  (of) => [optionalNetwork(of), of.skip(20)],
  ({ byte }) => BigInt(byte()),
  ({ compact }) => compact(),
  ({ skip }) => skip(33),
  () => undefined,
  unknownForm,
  network
]

const pallet = 4
const index = 5

const junction = (of: Cursor): Junction => {
  const kind = of.byte()
  const value = (junctions[kind] ?? unknownForm)(of)
  return typeof value === "bigint" ? { kind, value } : { kind }
}

const location = (of: Cursor) => ({
  parents: of.byte(),
  parts: Array.from({ length: Math.min(of.byte(), 8) }, () => junction(of))
})

/** The assets in the result of the call; none if it is an error, or in an unknown form. */
export const assetsIn = Option.liftThrowable((result: unknown): AccountAssets => {
  if (typeof result !== "string" || !/^0x([0-9a-f]{2})+$/i.test(result)) return unknownForm()
  const of = cursor(hexToBytes(result as `0x${string}`))
  const [isError, version] = [of.byte(), of.byte()]
  const count = Number(of.compact())
  if (isError !== 0 || version < 3 || version > 5 || count > maxAssets) return unknownForm()
  const ids: Array<bigint> = []
  let others = 0
  for (let number = 0; number < count; number++) {
    const { parents, parts } = location(of)
    if (of.byte() !== 0) return unknownForm()
    of.compact()
    const [first, second] = parts
    const isLocal = parents === 0 && parts.length === 2 && first?.kind === pallet && second?.kind === index
    if (isLocal && first.value === palletAssets && second.value !== undefined) ids.push(second.value)
    else if (parents !== 1 || parts.length > 0) others++
  }
  return of.isAtEnd() ? { ids, others } : unknownForm()
})
