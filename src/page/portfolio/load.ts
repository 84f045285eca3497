import type { Failure, WalletData } from "../../client/Client.ts"
import { type AddressOn, accountKey, chunked, networksOf } from "../addresses/accounts.ts"
import { halvesOf } from "../addresses/halvesOf.ts"
import { inParallel } from "../addresses/inParallel.ts"
import { makeLookups, readNetworkOrder } from "../addresses/lookUp.ts"
import { mayPass, problemOf } from "../text/reasons.ts"
import type { BalanceRow, Loading, PortfolioAccount } from "./Loading.ts"
import { requestedCurrency } from "./worth.ts"

/** The accounts of a portfolio, and what the service has returned of each. */
const makeAccounts = () => {
  const accounts = new Map<string, PortfolioAccount>()

  const update = (account: PortfolioAccount, change: Partial<PortfolioAccount>) => {
    accounts.set(accountKey(account.network, account.address), { ...account, ...change })
  }

  return {
    all: (): ReadonlyArray<PortfolioAccount> => [...accounts.values()],
    /** Adds an account that waits to be read. */
    add: (address: AddressOn) => update({ ...address, state: "waiting", rows: [] }, {}),
    update,
    /** The first row of an account in a request takes the place of all that an earlier one has returned. */
    receive: (row: BalanceRow, seen: Set<string>) => {
      const key = accountKey(row.blockchain, row.holderAddress)
      const account = accounts.get(key)
      if (account === undefined) return
      const { problem: _, ...rest } = account
      accounts.set(key, { ...rest, state: "answered", rows: seen.has(key) ? [...account.rows, row] : [row] })
      seen.add(key)
    },
    /** Those of the accounts that are not among `seen` could not be read. */
    fail: (some: ReadonlyArray<PortfolioAccount>, seen: ReadonlySet<string>, problem: string) => {
      for (const account of some) {
        const key = accountKey(account.network, account.address)
        if (!seen.has(key)) update(accounts.get(key) ?? account, { state: "failed", problem })
      }
    },
    /** The accounts that wait and are not being read: now they are. */
    begin: (begun: Set<string>): ReadonlyArray<PortfolioAccount> => {
      const waiting = [...accounts].filter(([key, { state }]) => state === "waiting" && !begun.has(key))
      for (const [key] of waiting) begun.add(key)
      return waiting.map(([, account]) => account)
    }
  }
}

/** Addresses in one request, and requests at once: the service allows 500 by default, and says so where it is fewer. */
const accountsPerRequest = 500
const requestsAtOnce = 3

/** So many texts are looked up and read before the others, so that there is something to see. */
const firstTexts = 20

/** Loads the holdings of addresses and can try again what has failed. */
export interface Loader {
  /** Reads whatever is not known yet, or may be better another time. Ends when it is done or stopped; never fails. */
  readonly run: () => Promise<void>
  readonly stop: () => void
}

/** Whether another request may find what is missing of an account. */
export const mayImprove = (
  { address, network, rows, state }: PortfolioAccount,
  failures: ReadonlyArray<Failure>
): boolean =>
  state === "failed" ||
  rows.some((row) => row.balance === null && mayPass(row.errorCode)) ||
  failures.some((failure) => failure.network === network && (failure.address ?? address) === address)

/**
 * Looks the texts up and reads the balances on every network that they fit, as a stream: `changed` is called
 * whenever there is more, with what makes all that is known then. `failed` sees every error.
 */
export const makeLoader = (
  client: WalletData,
  texts: ReadonlyArray<string>,
  changed: (loading: () => Loading) => void,
  failed: (error: unknown) => void,
  currency = "USD"
): Loader => {
  const controller = new AbortController()
  const { signal } = controller
  const wanted = requestedCurrency(currency)
  const lookups = makeLookups(client, texts, signal, failed)
  const accounts = makeAccounts()
  let failures: ReadonlyArray<Failure> = []
  let isDone = false

  const publish = () => {
    if (!signal.aborted)
      changed(() => ({ lookups: lookups.all(), accounts: accounts.all(), failures, isDone, currency }))
  }

  const read = async (chunk: ReadonlyArray<PortfolioAccount>): Promise<void> => {
    const seen = new Set<string>()
    let last = ""
    const stream = client.balances.stream(
      { networks: networksOf(chunk), ...(wanted === undefined ? {} : { currency: wanted }) },
      { signal }
    )
    try {
      for await (const row of stream) {
        accounts.receive(row, seen)
        last = accountKey(row.blockchain, row.holderAddress)
        publish()
      }
      accounts.fail(chunk, seen, "The service returned nothing for this address.")
    } catch (error) {
      const halves = halvesOf(chunk, error)
      if (halves !== undefined) {
        for (const half of halves) await read(half)
        return
      }
      failed(error)
      // It may have more rows.
      seen.delete(last)
      accounts.fail(chunk, seen, problemOf(error))
    }
    failures = [...failures, ...stream.failures]
    publish()
  }

  /** Reads the accounts that wait and are not being read. */
  const readWaiting = (order: ReadonlyArray<string>, begun: Set<string>) => {
    lookups.newAddresses(order).forEach(accounts.add)
    const waiting = accounts.begin(begun)
    publish()
    return inParallel(chunked(waiting, accountsPerRequest), requestsAtOnce, read)
  }

  return {
    run: async () => {
      isDone = false
      for (const account of accounts.all())
        if (mayImprove(account, failures)) accounts.update(account, { state: "waiting" })
      failures = []
      publish()
      const order = readNetworkOrder(client, signal)
      const unknown = lookups.unknown()
      const begun = new Set<string>()
      const reading: Array<Promise<void>> = []
      for (const part of [unknown.slice(0, firstTexts), unknown.slice(firstTexts)]) {
        await lookups.lookUp(part, publish)
        reading.push(readWaiting(await order, begun))
      }
      await Promise.all(reading)
      isDone = true
      publish()
    },
    stop: () => controller.abort()
  }
}
