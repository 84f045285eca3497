import { type Exhibit, type ExhibitFacts, sends } from "./exhibit.ts"

/** BNB Smart Chain. */
const bsc = 56

/** 24,000 gas at 0.4 gwei, and a blob of 131,072 gas at 1 wei. */
const blobFee = 24_000n * 400_000_000n + 131_072n

/** Exhibits of an EVM network, oldest first. */
export const evm = ({ blobsSince, chainId, dataFee, genesis }: ExhibitFacts): ReadonlyArray<Exhibit> => [
  // In the list of transactions, but no transaction.
  ...(genesis === undefined ? [] : [{ ...sends("genesis"), direction: "in" as const, amount: 2n * 10n ** 15n }]),
  ...(genesis === undefined ? [] : [sends("before byzantium", { amount: 31_337n })]),
  sends("creation"),
  sends("failed creation", { failed: true }),
  { ...sends("failed internal call"), direction: "in" },
  sends("deprecated input", { amount: 6n }),
  sends("internal creation", { amount: 7n }),
  ...(dataFee === "always"
    ? [
        sends("deposit", { received: 3n * 10n ** 15n, fee: 0n }),
        sends("failed deposit", { received: 10n ** 15n, fee: 0n, failed: true }),
        sends("operator fee", { amount: 3n }),
        sends("operator fee since Jovian", { amount: 4n })
      ]
    : []),
  // The adapter takes a call for one with blobs only if it is repeated.
  ...(blobsSince === undefined ? [] : [sends("blob", { fee: blobFee }), sends("blob", { fee: blobFee })]),
  ...(chainId === bsc ? [sends("system", { amount: 207_350_625_000_000n, fee: 0n })] : [])
]
