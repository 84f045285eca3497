import { wrappedSol } from "../../../chains/solana/programs.ts"
import type { Contract } from "../World.ts"
import { type Exhibit, type ExhibitFacts, receives, sends } from "./exhibit.ts"

/** Deposit for a token account (rent-exempt minimum), lamports. */
export const deposit = 2_039_280n

/** Coins that are wrapped and unwrapped, lamports. */
export const wrappedCoins = 1_500_000n

const depositAndFee = { fee: deposit + 5_000n }

/** Exhibits of Solana, oldest first. */
export const solana = (_: ExhibitFacts, tokens: ReadonlyArray<Contract>): ReadonlyArray<Exhibit> => [
  receives("early form", 1_230_000n),
  receives("memo", 1_000_000n),
  receives("whole balance", 718_759_267n),
  receives("large balance", 10n ** 9n),
  sends("transfer to itself"),
  sends("error without an instruction", { amount: 120_000_000n, failed: true }),
  receives("legacy", 41n),
  receives("loaded addresses", 31n),
  receives("loaded addresses apart", 37n),
  // Another account pays the fee, and the deposit of the token account that the transaction opens.
  sends("called transfer", { amount: 5_000_000n, fee: 0n }),
  ...tokens
    .filter(({ address }) => address === wrappedSol)
    .flatMap((contract) => [
      // The coins that it wraps are not part of the fee.
      sends("wrap", { contract, fee: wrappedCoins + deposit + 5_000n }),
      sends("unwrap", { contract, received: wrappedCoins + deposit })
    ]),
  ...tokens
    .filter(({ coin }) => coin.symbol === "usdc")
    .flatMap((contract) => [
      sends("look-up table", { contract, failed: true }),
      receives("tokens", 90_000n, { contract }),
      sends("account of the recipient", { contract, amount: 90_000n, ...depositAndFee }),
      // A further token account of the holder, which exists for these four transactions only.
      sends("opened account", { contract, ...depositAndFee }),
      receives("to the account", 70_000n, { contract }),
      sends("from the account", { contract, amount: 70_000n }),
      sends("closed account", { contract, received: deposit })
    ])
]
