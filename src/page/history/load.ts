import type { components, Failure } from "../../client/Client.ts"
import { accountKey, makeLookups, networksOf } from "../addresses/accounts.ts"
import { chunked, halvesOf, inParallel } from "../addresses/batches.ts"
import type { PageClient } from "../state/client.ts"
import { sanitized } from "../text/format.ts"
import { t } from "../text/language.ts"
import { isTemporary, problemOf } from "../text/reasons.ts"
import {
  type AddressHistories,
  type AddressHistory,
  canRetry,
  type Entry,
  type Meta,
  wantedNext,
  withNewest,
  withPage
} from "./histories.ts"

type HistoryAnswer = components["schemas"]["HistoryWithMeta"]

/** Transactions per address in a page. */
const limit = 50

/** Addresses per request, and concurrent requests: small, so that first results arrive soon. */
const addressesPerRequest = 100
const requestsAtOnce = 3

/** Loads the histories of addresses page by page. */
export interface HistoryLoader {
  /** Reads missing and failed histories. Resolves when it is done or aborted; never fails. */
  readonly run: () => Promise<void>
  /** Reads the next pages of the addresses that limit the list. */
  readonly more: () => Promise<void>
  /** Reads the first pages again, for new transactions. A failure changes nothing. */
  readonly refresh: () => Promise<void>
}

/** The cursors of the next pages, by network and address. */
const cursorsOf = (histories: ReadonlyArray<AddressHistory>) => {
  const cursors: Record<string, Record<string, string>> = {}
  for (const { address, meta, network } of histories) {
    const next = meta?.next
    if (typeof next !== "string") continue
    const ofNetwork = cursors[network] ?? {}
    ofNetwork[address] = next
    cursors[network] = ofNetwork
  }
  return cursors
}

const failureOf = (failures: ReadonlyArray<Failure>, { address, network }: AddressHistory) => {
  const found = failures.find((failure) => failure.network === network && (failure.address ?? address) === address)
  return found && { problem: sanitized(found.message, 300), isFinal: !isTemporary(found.errorCode) }
}

/** Adds the pages of a response part to their waiting histories, and removes these from `waiting`. */
const received = (
  { data, meta }: HistoryAnswer,
  waiting: Map<string, AddressHistory>,
  failures: ReadonlyArray<Failure>
): ReadonlyArray<AddressHistory> =>
  Object.entries(data).flatMap(([network, addresses]) =>
    Object.entries(addresses).flatMap(([address, entries]) => {
      const key = accountKey(network, address)
      const history = waiting.get(key)
      const pageMeta = meta[network]?.[address]
      if (history === undefined || pageMeta === undefined) return []
      waiting.delete(key)
      return [withPage(history, entries, pageMeta, failureOf(failures, history))]
    })
  )

/** Reads the first pages again. Calls `received` with each history that did not fail, and its newest entries. */
const readNewest = async (
  client: PageClient,
  known: ReadonlyArray<AddressHistory>,
  signal: AbortSignal,
  received: (history: AddressHistory, newest: ReadonlyArray<Entry>, meta: Meta) => void
) => {
  const stream = client.history.stream({ networks: networksOf(known), limit, meta: true }, { signal })
  for await (const { data, meta } of stream)
    for (const history of known) {
      const newest = data[history.network]?.[history.address]
      const newestMeta = meta[history.network]?.[history.address]
      if (newest !== undefined && newestMeta !== undefined && failureOf(stream.failures, history) === undefined)
        received(history, newest, newestMeta)
    }
}

/**
 * Looks up the texts and reads the histories on every network that they match, as streams. Calls `changed` when more
 * data is available, with a function that returns the current state. `failed` receives every error.
 */
export const makeHistoryLoader = (
  client: PageClient,
  texts: ReadonlyArray<string>,
  changed: (histories: () => AddressHistories) => void,
  failed: (error: unknown) => void,
  signal: AbortSignal
): HistoryLoader => {
  const lookups = makeLookups(client, texts, signal, failed)
  const histories = new Map<string, AddressHistory>()
  let isDone = false

  const publish = () => {
    if (!signal.aborted) changed(() => ({ lookups: lookups.all(), histories: [...histories.values()], isDone }))
  }

  const set = (history: AddressHistory) => histories.set(accountKey(history.network, history.address), history)

  const read = async (chunk: ReadonlyArray<AddressHistory>): Promise<void> => {
    const waiting = new Map(chunk.map((history) => [accountKey(history.network, history.address), history]))
    const request = { networks: networksOf(chunk), cursors: cursorsOf(chunk), limit, meta: true as const }
    const stream = client.history.stream(request, { signal })
    const unanswered = (problem: string) => {
      for (const history of waiting.values()) set({ ...history, state: "failed", problem })
    }
    try {
      for await (const page of stream) {
        received(page, waiting, stream.failures).forEach(set)
        publish()
      }
      unanswered(t("nothingReturned"))
    } catch (error) {
      const halves = halvesOf(chunk, error)
      if (halves !== undefined) {
        for (const half of halves) await read(half)
        return
      }
      failed(error)
      unanswered(problemOf(error))
    }
    publish()
  }

  const readAll = async (wanted: ReadonlyArray<AddressHistory>) => {
    isDone = false
    for (const history of wanted) set({ ...history, state: "waiting" })
    publish()
    await inParallel(chunked(wanted, addressesPerRequest), requestsAtOnce, read)
    isDone = true
    publish()
  }

  return {
    run: async () => {
      isDone = false
      publish()
      await lookups.lookUp(lookups.unknown(), publish)
      for (const address of lookups.newAddresses()) set({ ...address, state: "waiting", entries: [], meta: undefined })
      await readAll([...histories.values()].filter(canRetry))
    },
    more: async () => {
      if (isDone) await readAll(wantedNext([...histories.values()]))
    },
    refresh: async () => {
      const current = [...histories.values()].filter(({ state }) => state === "answered")
      if (!isDone || current.length === 0 || current.length > addressesPerRequest) return
      try {
        await readNewest(client, current, signal, (history, newest, meta) =>
          set(withNewest(histories.get(accountKey(history.network, history.address)) ?? history, newest, meta))
        )
        publish()
      } catch (error) {
        failed(error)
      }
    }
  }
}
