import type { PortfolioRow } from "../portfolio/holdings.ts"
import { isHash, isSecret } from "./secrets.ts"
import { makeStore } from "./store.ts"
import { readStored, writeStored } from "./stored.ts"

const item = "wallet-data-recent"

/** Limits of the stored list; longer lists of addresses are not stored. */
const maxWallets = 6
const maxTexts = 50

/** A list of addresses that was shown. Texts that may be private keys are not stored, also if they were addresses. */
export type Wallet = ReadonlyArray<string>

const isWallet = (value: unknown): value is Wallet =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= maxTexts &&
  value.every((text) => typeof text === "string" && text.length <= 300 && !isHash(text)) &&
  !isSecret(value.join(" "))

const stored = (): ReadonlyArray<Wallet> => {
  try {
    const value: unknown = JSON.parse(readStored(item) ?? "[]")
    const wallets = Array.isArray(value) ? value.filter(isWallet).slice(0, maxWallets) : []
    // An earlier version has stored secrets.
    if (Array.isArray(value) && wallets.length < value.length) writeStored(item, JSON.stringify(wallets))
    return wallets
  } catch {
    return []
  }
}

/** The wallets that this browser has shown, newest first. They are stored in the browser only. */
export const recent = makeStore<ReadonlyArray<Wallet>>(stored())

const keep = (wallets: ReadonlyArray<Wallet>) => {
  writeStored(item, JSON.stringify(wallets))
  recent.set(wallets)
}

const isOther = (wallet: Wallet) => (other: Wallet) => other.join() !== wallet.join()

export const remember = (wallet: Wallet) => {
  if (isWallet(wallet)) keep([wallet, ...recent.get().filter(isOther(wallet))].slice(0, maxWallets))
}

export const forget = (wallet: Wallet) => keep(recent.get().filter(isOther(wallet)))

export const forgetAll = () => keep([])

/** The holdings of the portfolio that was shown last, for the view of a coin. */
export const ownHoldings = makeStore<ReadonlyArray<PortfolioRow>>([])
