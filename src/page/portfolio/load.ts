import { type Failure, type WalletData, WalletDataError } from "../../client/Client.ts"
import { accountKey, addressesOf, chunked, type Lookup, networksOf } from "../addresses/accounts.ts"
import { inParallel } from "../addresses/inParallel.ts"
import { lookUp, lookupsAtOnce, readNetworkOrder } from "../addresses/lookUp.ts"
import { mayPass, problemOf } from "../text/reasons.ts"
import type { BalanceRow, Loading, PortfolioAccount } from "./Loading.ts"
import { requestedCurrency } from "./worth.ts"

/** Addresses in one request, and requests at once: the service allows 500 by default, and says so where it is fewer. */
const accountsPerRequest = 500
const requestsAtOnce = 3

/** So many texts are looked up and read before the others, so that there is something to see. */
const firstTexts = 20

const tooLarge = 413

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
  const lookups = new Map<string, Lookup>(texts.map((text) => [text, { state: "waiting", text }]))
  const accounts = new Map<string, PortfolioAccount>()
  /** Accounts by their canonical addresses: another spelling of one that is there is the same. */
  const known = new Set<string>()
  let failures: ReadonlyArray<Failure> = []
  let isDone = false

  const loading = (): Loading => ({
    lookups: [...lookups.values()],
    accounts: [...accounts.values()],
    failures,
    isDone,
    currency
  })

  const publish = () => {
    if (!signal.aborted) changed(loading)
  }

  const update = (account: PortfolioAccount, change: Partial<PortfolioAccount>) => {
    accounts.set(accountKey(account.network, account.address), { ...account, ...change })
  }

  /** The first row of an account in a request takes the place of all that an earlier one has returned. */
  const receive = (row: BalanceRow, seen: Set<string>) => {
    const key = accountKey(row.blockchain, row.holderAddress)
    const account = accounts.get(key)
    if (account === undefined) return
    const { problem: _, ...rest } = account
    accounts.set(key, { ...rest, state: "answered", rows: seen.has(key) ? [...account.rows, row] : [row] })
    seen.add(key)
  }

  const read = async (chunk: ReadonlyArray<PortfolioAccount>): Promise<void> => {
    const seen = new Set<string>()
    const stream = client.balances.stream(
      { networks: networksOf(chunk), ...(wanted === undefined ? {} : { currency: wanted }) },
      { signal }
    )
    const unanswered = (problem: string) => {
      for (const account of chunk)
        if (!seen.has(accountKey(account.network, account.address))) update(account, { state: "failed", problem })
    }
    try {
      for await (const row of stream) {
        receive(row, seen)
        publish()
      }
      unanswered("The service returned nothing for this address.")
    } catch (error) {
      if (error instanceof WalletDataError && error.status === tooLarge && chunk.length > 1) {
        const half = Math.ceil(chunk.length / 2)
        for (const part of [chunk.slice(0, half), chunk.slice(half)]) await read(part)
        return
      }
      failed(error)
      unanswered(problemOf(error))
    }
    failures = [...failures, ...stream.failures]
    publish()
  }

  /** Reads the accounts that wait and are not being read. */
  const readWaiting = (order: ReadonlyArray<string>, begun: Set<string>) => {
    for (const address of addressesOf(lookups.values(), order)) {
      const key = accountKey(address.network, address.match.canonical)
      if (!known.has(key)) update({ ...address, state: "waiting", rows: [] }, {})
      known.add(key)
    }
    const waiting = [...accounts].filter(([key, { state }]) => state === "waiting" && !begun.has(key))
    for (const [key] of waiting) begun.add(key)
    publish()
    const chunks = chunked(
      waiting.map(([, account]) => account),
      accountsPerRequest
    )
    return inParallel(chunks, requestsAtOnce, read)
  }

  return {
    run: async () => {
      isDone = false
      for (const account of accounts.values()) if (mayImprove(account, failures)) update(account, { state: "waiting" })
      failures = []
      publish()
      const order = readNetworkOrder(client, signal)
      const unknown = [...lookups.values()].filter(({ state }) => state !== "found")
      const begun = new Set<string>()
      const reading: Array<Promise<void>> = []
      for (const part of [unknown.slice(0, firstTexts), unknown.slice(firstTexts)]) {
        await inParallel(part, lookupsAtOnce, async ({ text }) => {
          lookups.set(text, await lookUp(client, text, signal, failed))
          publish()
        })
        reading.push(readWaiting(await order, begun))
      }
      await Promise.all(reading)
      isDone = true
      publish()
    },
    stop: () => controller.abort()
  }
}
