import type { CallOptions } from "./ClientOptions.ts"
import { isObject } from "./failures.ts"
import { cursorItems, type Histories, type HistoryPage, type HistoryWithMeta } from "./Groups.ts"
import { sendable, unusable } from "./WalletDataError.ts"

/** Returns the addresses with further pages after this page, and their cursors. */
const remainingCursors = ({ data, meta }: HistoryPage) => {
  const open = Object.entries(meta).map(([network, addresses]) => {
    const cursors = Object.entries(addresses).flatMap(([address, { next }]) =>
      next === null || !data[network]?.[address]?.length ? [] : [[address, next] as const]
    )
    return [network, cursors] as const
  })
  const left = open.filter(([, cursors]) => cursors.length > 0)
  return {
    cursors: Object.fromEntries(left.map(([network, cursors]) => [network, Object.fromEntries(cursors)])),
    networks: Object.fromEntries(left.map(([network, cursors]) => [network, cursors.map(([address]) => address)]))
  }
}

// A proxy between client and service may return anything.
const isPage = (page: unknown): page is HistoryPage =>
  isObject(page) &&
  isObject(page.data) &&
  isObject(page.meta) &&
  Object.values(page.meta).every((byAddress) => isObject(byAddress) && Object.values(byAddress).every(isObject))

/** Returns the rest of the request after this page. Throws if a cursor was `seen` before, which would loop forever. */
const nextPageOf = (seen: Set<string>, page: HistoryPage) => {
  const next = remainingCursors(page)
  const texts = cursorItems(next.cursors)
  if (texts.some((text) => seen.has(text))) throw unusable("The response repeats the cursor of a previous page")
  for (const text of texts) seen.add(text)
  return next
}

/** Returns the response if it is a page; throws otherwise. */
const requirePage = (page: HistoryPage): HistoryPage => {
  if (!isPage(page)) throw unusable("The response is not a page of histories")
  return page
}

export const pagesOf = (transactions: Histories) => ({
  /**
   * Iterates over the pages of all addresses, requesting each on demand, until every history ends. If the page of an
   * address fails, the address is not requested again: `meta` gives the reason, and `next` the cursor to go on from.
   */
  async *pages(request: Omit<HistoryWithMeta, "meta">, options?: CallOptions): AsyncGenerator<HistoryPage, void> {
    let wanted: HistoryWithMeta = { ...request, meta: true }
    const seen = new Set(sendable(() => cursorItems(wanted.cursors)))
    while (sendable(() => Object.keys(wanted.networks)).length > 0) {
      const page = requirePage(await transactions(wanted, options))
      yield page
      wanted = { ...wanted, ...nextPageOf(seen, page) }
    }
  }
})
