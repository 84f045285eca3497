import type { EvmFacts } from "../../catalogue/evm/EvmFacts.ts"
import type { Family } from "../../catalogue/NetworkFacts.ts"

// A museum is the address of a network whose history contains, besides usual transactions, the rare forms that sources
// are known to list. Histories of other addresses do not have them.

const addresses: Readonly<Partial<Record<Family, string>>> = {
  // "museum" in ASCII.
  evm: "0x6d757365756d0000000000000000000000000000"
}

/** Canonical address of a family's museum; undefined if the family has none. */
export const museumOf = (family: Family): string | undefined => addresses[family]

const all: ReadonlySet<string> = new Set(Object.values(addresses))

export const isMuseum = (address: string): boolean => all.has(address)

/** A transaction of a museum. The simulated upstreams of its family write it in the form of its name. */
export interface Exhibit {
  readonly exhibit: string
  readonly direction: "in" | "out"
  /** Base units of the native coin. */
  readonly amount: bigint
  readonly failed: boolean
  /** Default: a usual fee. */
  readonly fee?: bigint
  /** Amount of the native coin that the transaction also brings in. */
  readonly received?: bigint
}

type ExhibitFacts = Pick<Partial<EvmFacts>, "genesis" | "dataFee" | "blobsSince" | "chainId"> & {
  readonly family?: Family
}

const sends = (exhibit: string, more: Partial<Exhibit> = {}): Exhibit => ({
  exhibit,
  direction: "out",
  amount: 0n,
  failed: false,
  ...more
})

/** BNB Smart Chain. */
const bsc = 56

/** Exhibits of a network, oldest first. */
const evm = ({ blobsSince, chainId, dataFee, genesis }: ExhibitFacts): ReadonlyArray<Exhibit> => [
  // In the list of transactions, but no transaction.
  ...(genesis === undefined ? [] : [{ ...sends("genesis"), direction: "in" as const, amount: 2n * 10n ** 15n }]),
  ...(genesis === undefined ? [] : [sends("before byzantium", { amount: 31_337n })]),
  sends("creation"),
  sends("failed creation", { failed: true }),
  { ...sends("failed internal call"), direction: "in" },
  ...(dataFee === "always"
    ? [
        sends("deposit", { received: 3n * 10n ** 15n, fee: 0n }),
        sends("failed deposit", { received: 10n ** 15n, fee: 0n, failed: true })
      ]
    : []),
  // The adapter takes a call for one with blobs only if it is repeated.
  ...(blobsSince === undefined ? [] : [sends("blob", { fee: blobFee }), sends("blob", { fee: blobFee })]),
  ...(chainId === bsc ? [sends("system", { amount: 207_350_625_000_000n, fee: 0n })] : [])
]

/** 25,000 gas at 0.4 gwei, and a blob of 131,072 gas at 1 wei. */
const blobFee = 25_000n * 400_000_000n + 131_072n

/** Exhibits in the history of an address, oldest first; empty unless it is a museum. */
export const exhibitsOf = (facts: ExhibitFacts, address: string): ReadonlyArray<Exhibit> => {
  const { family = "evm" } = facts
  return family === "evm" && address === museumOf(family) ? evm(facts) : []
}
