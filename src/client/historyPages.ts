import type { Body, Data } from "./operations.ts"
import { unusable } from "./WalletDataError.ts"

type Request = Body<"history.transactions">
export type HistoryPage = Data<"history.transactionsWithMeta">

/** What is left to request after a page: the addresses that have more, with their cursors. */
const after = ({ data, meta }: HistoryPage) => {
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

/** A proxy in between may answer with anything. */
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null
const isPage = (page: unknown): page is HistoryPage =>
  isObject(page) &&
  "data" in page &&
  "meta" in page &&
  isObject(page.data) &&
  isObject(page.meta) &&
  Object.values(page.meta).every((byAddress) => isObject(byAddress) && Object.values(byAddress).every(isObject))

/** Whether a page continues where it began. */
const isRepeated = (before: Request["cursors"] = {}, next: Required<Request>["cursors"]) =>
  Object.entries(next).some(([network, cursors]) =>
    Object.entries(cursors).some(([address, cursor]) => before[network]?.[address] === cursor)
  )

/** What is left to request after the page of a request. Throws where it would be read for ever. */
export const afterPage = ({ cursors }: Pick<Request, "cursors">, page: HistoryPage) => {
  const next = after(page)
  if (isRepeated(cursors, next.cursors)) throw unusable("The answer has a cursor of the page before")
  return next
}

/** The answer, if it is a page. */
export const requirePage = (page: HistoryPage): HistoryPage => {
  if (!isPage(page)) throw unusable("The answer is no page of histories")
  return page
}
