import { type Failure, type WalletData, WalletDataError } from "../../client/Client.ts"
import { mayPass, problemOf } from "../text/reasons.ts"
import { inParallel } from "./inParallel.ts"
import { type Account, accountKey, type BalanceRow, type Loading, type Lookup, networksOf } from "./Loading.ts"

/** Texts that are looked up at once: browsers have six connections to a server. */
const lookupsAtOnce = 6

/** Addresses in one request, and requests at once: the service allows 500 by default, and says so where it is fewer. */
const accountsPerRequest = 500
const requestsAtOnce = 3

const tooLarge = 413

/** Loads the holdings of addresses and can try again what has failed. */
export interface Loader {
  /** Reads whatever is not known yet, or may be better another time. Ends when it is done or stopped; never fails. */
  readonly run: () => Promise<void>
  readonly stop: () => void
}

/** Whether another request may find what is missing of an account. */
export const mayImprove = ({ address, network, rows, state }: Account, failures: ReadonlyArray<Failure>): boolean =>
  state === "failed" ||
  rows.some((row) => row.balance === null && mayPass(row.errorCode)) ||
  failures.some((failure) => failure.network === network && (failure.address ?? address) === address)

const chunked = <A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

/** The accounts of what was found: each once, however often and in whatever spelling it was entered. */
const accountsOf = (lookups: Iterable<Lookup>, networkOrder: ReadonlyArray<string>): ReadonlyArray<Account> => {
  const accounts = new Map<string, Account>()
  for (const lookup of lookups) {
    if (lookup.state !== "found") continue
    for (const match of lookup.matches) {
      const key = accountKey(match.network, match.canonical)
      if (!accounts.has(key))
        accounts.set(key, { network: match.network, address: lookup.text, match, state: "waiting", rows: [] })
    }
  }
  const place = (network: string) => networkOrder.indexOf(network)
  return [...accounts.values()].sort((a, b) => place(a.network) - place(b.network))
}

/**
 * Looks the texts up and reads the balances on every network that they fit, as a stream: `changed` is called
 * whenever there is more, with what makes all that is known then. `failed` sees every error.
 */
export const makeLoader = (
  client: WalletData,
  texts: ReadonlyArray<string>,
  changed: (loading: () => Loading) => void,
  failed: (error: unknown) => void
): Loader => {
  const controller = new AbortController()
  const { signal } = controller
  const lookups = new Map<string, Lookup>(texts.map((text) => [text, { state: "waiting", text }]))
  const accounts = new Map<string, Account>()
  let failures: ReadonlyArray<Failure> = []
  let isDone = false

  const loading = (): Loading => ({
    lookups: [...lookups.values()],
    accounts: [...accounts.values()],
    failures,
    isDone
  })

  const publish = () => {
    if (!signal.aborted) changed(loading)
  }

  const update = (account: Account, change: Partial<Account>) => {
    accounts.set(accountKey(account.network, account.address), { ...account, ...change })
  }

  const lookUp = async (text: string) => {
    try {
      const { matches } = await client.addressMatches(text, { signal })
      lookups.set(text, { state: "found", text, matches })
    } catch (error) {
      failed(error)
      lookups.set(text, { state: "failed", text, problem: problemOf(error) })
    }
    publish()
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

  const read = async (chunk: ReadonlyArray<Account>): Promise<void> => {
    const seen = new Set<string>()
    const stream = client.balances.stream({ networks: networksOf(chunk) }, { signal })
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

  const networkOrder = async () => {
    try {
      return (await client.networks({ signal })).map(({ id }) => id)
    } catch {
      return []
    }
  }

  return {
    run: async () => {
      isDone = false
      publish()
      const order = networkOrder()
      const unknown = [...lookups.values()].filter(({ state }) => state !== "found")
      await inParallel(unknown, lookupsAtOnce, ({ text }) => lookUp(text))
      for (const account of accountsOf(lookups.values(), await order)) {
        const key = accountKey(account.network, account.address)
        const before = accounts.get(key)
        if (before === undefined) accounts.set(key, account)
        else if (mayImprove(before, failures)) accounts.set(key, { ...before, state: "waiting" })
      }
      failures = []
      const waiting = [...accounts.values()].filter(({ state }) => state === "waiting")
      publish()
      await inParallel(chunked(waiting, accountsPerRequest), requestsAtOnce, read)
      isDone = true
      publish()
    },
    stop: () => controller.abort()
  }
}
