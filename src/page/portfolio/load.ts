import type { Failure } from "../../client/Client.ts"
import {
  accountKey,
  makeLookups,
  type NetworkAddress,
  networksOf,
  sharedFirst,
  sharedWith
} from "../addresses/accounts.ts"
import { chunked, halvesOf, inParallel } from "../addresses/batches.ts"
import type { PageClient } from "../state/client.ts"
import { t } from "../text/language.ts"
import { isTemporary, problemOf } from "../text/reasons.ts"
import { isAnyRead } from "./empty.ts"
import { type BalanceRow, isGone, type Loading, type PortfolioAccount } from "./holdings.ts"
import { requestedCurrency } from "./worth.ts"

/** The accounts of a portfolio, with the rows that the service has returned. */
const makeAccounts = () => {
  const accounts = new Map<string, PortfolioAccount>()

  const update = (account: PortfolioAccount, change: Partial<PortfolioAccount>) => {
    accounts.set(accountKey(account.network, account.address), { ...account, ...change })
  }

  return {
    all: (): ReadonlyArray<PortfolioAccount> => [...accounts.values()],
    /** Adds an account in the state `waiting`. */
    add: (address: NetworkAddress) => update({ ...address, state: "waiting", rows: [] }, {}),
    update,
    /** Adds a row. The first row of an account in a request replaces the rows of earlier requests. */
    receive: (row: BalanceRow, seen: Set<string>) => {
      const key = accountKey(row.blockchain, row.holderAddress)
      const account = accounts.get(key)
      if (account === undefined) return
      const { problem: _, ...rest } = account
      accounts.set(key, { ...rest, state: "answered", rows: seen.has(key) ? [...account.rows, row] : [row] })
      seen.add(key)
    },
    /** Marks the accounts that are not in `seen` as failed. */
    fail: (some: ReadonlyArray<PortfolioAccount>, seen: ReadonlySet<string>, problem: string) => {
      for (const account of some) {
        const key = accountKey(account.network, account.address)
        if (!seen.has(key)) update(accounts.get(key) ?? account, { state: "failed", problem })
      }
    },
    /** Replaces the accounts that have failed by their earlier state. */
    restore: (earlier: ReadonlyArray<PortfolioAccount>) => {
      for (const account of earlier)
        if (accounts.get(accountKey(account.network, account.address))?.state === "failed") update(account, {})
    },
    /** Returns the waiting accounts that are not in `begun`, and adds them to it. */
    begin: (begun: Set<string>): ReadonlyArray<PortfolioAccount> => {
      const waiting = [...accounts].filter(([key, { state }]) => state === "waiting" && !begun.has(key))
      for (const [key] of waiting) begun.add(key)
      return waiting.map(([, account]) => account)
    }
  }
}

/** Addresses per request (the service's default limit; it reports a lower limit), and concurrent requests. */
const accountsPerRequest = 500
const requestsAtOnce = 3

/** The first texts are looked up and read before the others, so that results appear early. */
const firstTexts = 20

/** Loads the holdings of addresses and can retry failures. */
export interface Loader {
  /** Reads missing data and retries failures that may pass. Resolves when it is done or aborted; never fails. */
  readonly run: () => Promise<void>
  /** Reads all balances again, once they are complete. If that fails for an account, its earlier values stay. */
  readonly refresh: () => Promise<void>
}

/** True if a retry may find the missing data of an account. */
export const canRetry = (
  { address, network, rows, state }: PortfolioAccount,
  failures: ReadonlyArray<Failure>
): boolean =>
  state === "failed" ||
  rows.some((row) => row.balance === null && isTemporary(row.errorCode)) ||
  failures.some(
    (failure) => !isGone(failure) && failure.network === network && (failure.address ?? address) === address
  )

/** Reads the balances of accounts as streams. `publish` is called after each row. */
const makeReader = (
  client: PageClient,
  accounts: ReturnType<typeof makeAccounts>,
  currency: string,
  signal: AbortSignal,
  failed: (error: unknown) => void,
  publish: () => void
) => {
  const wanted = requestedCurrency(currency)
  let failures: ReadonlyArray<Failure> = []

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
      accounts.fail(chunk, seen, t("nothingReturned"))
    } catch (error) {
      const halves = halvesOf(chunk, error)
      if (halves !== undefined) {
        for (const half of halves) await read(half)
        return
      }
      failed(error)
      // The last account may have more rows.
      seen.delete(last)
      accounts.fail(chunk, seen, problemOf(error))
    }
    failures = [...failures, ...stream.failures]
    publish()
  }

  return {
    failures: () => failures,
    setFailures: (known: ReadonlyArray<Failure>) => {
      failures = known
    },
    /** Reads all these accounts, in as many requests as needed. */
    read: (some: ReadonlyArray<PortfolioAccount>) =>
      inParallel(chunked(sharedFirst(some), accountsPerRequest), requestsAtOnce, read)
  }
}

/**
 * Looks up the texts and reads the balances on every network that they match, as a stream. Calls `changed` when more
 * data is available, with a function that returns the current state. `failed` receives every error.
 */
export const makeLoader = (
  client: PageClient,
  texts: ReadonlyArray<string>,
  changed: (loading: () => Loading) => void,
  failed: (error: unknown) => void,
  signal: AbortSignal,
  currency = "USD"
): Loader => {
  const lookups = makeLookups(client, texts, signal, failed)
  const accounts = makeAccounts()
  let isDone = false
  /** True while complete data is read again: an account must not be shown with a part of its rows. */
  let isRefreshing = false
  let at = 0

  const publish = () => {
    if (!signal.aborted && !isRefreshing)
      changed(() => ({
        lookups: lookups.all(),
        accounts: accounts.all(),
        failures: reader.failures(),
        isDone,
        at,
        currency
      }))
  }

  const reader = makeReader(client, accounts, currency, signal, failed, publish)

  /** Reads the waiting accounts that no request reads yet, and again those that may include some or be part of them. */
  const readWaiting = async (begun: Set<string>, earlier: ReadonlyArray<Promise<void>>) => {
    lookups.newAddresses().forEach(accounts.add)
    const waiting = accounts.begin(begun)
    publish()
    const others = () => sharedWith(waiting, accounts.all()).filter((account) => !waiting.includes(account))
    if (others().length > 0) await Promise.all(earlier)
    const again = others()
    await reader.read([...waiting, ...again])
    accounts.restore(again)
  }

  return {
    run: async () => {
      isDone = false
      for (const account of accounts.all())
        if (canRetry(account, reader.failures())) accounts.update(account, { state: "waiting" })
      reader.setFailures([])
      publish()
      const unknown = lookups.unknown()
      const begun = new Set<string>()
      const reading: Array<Promise<void>> = []
      for (const part of [unknown.slice(0, firstTexts), unknown.slice(firstTexts)]) {
        await lookups.lookUp(part, publish)
        reading.push(readWaiting(begun, [...reading]))
      }
      await Promise.all(reading)
      isDone = true
      // A retry reads only what failed: the other values keep their time.
      if (at === 0 && isAnyRead(accounts.all())) at = Date.now()
      publish()
    },
    refresh: async () => {
      if (!isDone || isRefreshing) return
      const before = accounts.all()
      const failures = reader.failures()
      isRefreshing = true
      reader.setFailures([])
      await reader.read(before)
      if (accounts.all().every(({ state }) => state === "answered") && isAnyRead(accounts.all())) at = Date.now()
      // Accounts that keep their earlier values still lack what was missing from these.
      else reader.setFailures([...failures, ...reader.failures()])
      accounts.restore(before)
      isRefreshing = false
      publish()
    }
  }
}
