import type { Route } from "./route.ts"
import { isAddressLike, isHash, isHashLike, isSecret, isWord } from "./secrets.ts"
import { makeStore } from "./store.ts"

/** Why the page did not open a route or take a text. Has no part of a secret. */
export type RefusedText =
  | { readonly kind: "secret" }
  /** Hashes of transactions, or keys: `route` opens if the user says that they are no keys. */
  | { readonly kind: "hash"; readonly route: Route }

/** The last refusal, until it is closed or something else is opened. */
export const refusal = makeStore<RefusedText | undefined>(undefined)

export const refuseSecret = () => refusal.set({ kind: "secret" })

/** The texts that the user has called transactions or addresses, until the page is closed. */
const confirmed = new Set<string>()

export const confirm = ({ items }: Pick<Route, "items">) => {
  for (const text of items) if (isHash(text) || isHashLike(text)) confirmed.add(text)
  refusal.set(undefined)
}

/** Whether a text may be sent to the service: it has the form of an address, and is no secret, no word, no key that may be one. */
export const isSendable = (text: string): boolean =>
  confirmed.has(text) || (isAddressLike(text) && !(isSecret(text) || isHash(text) || isWord(text)))

/** Whether a route has a secret, or a text in a place that has another form. */
const isUnfit = ({ items, view }: Route): boolean => {
  const [, hash = ""] = items
  // A link to a transaction says that it has a hash, as its second item.
  const isLink = view === "tx" && items.length > 1
  const rest = (texts: ReadonlyArray<string>) => texts.filter((text) => !confirmed.has(text)).join(" ")
  return (
    isSecret(rest(items), isLink) ||
    (isLink && (isSecret(rest(items.toSpliced(1, 1))) || !(isHashLike(hash) || isHash(hash)))) ||
    // No id of a coin is as long as a key.
    (view === "coin" && items.some((text) => /[\da-f]{41}/i.test(text)))
  )
}

/** Returns whether a route may be opened. If not, says why. */
export const isOpenable = (route: Route): boolean => {
  const { items, view } = route
  const isKnown = (text: string, index: number) =>
    !isHash(text) || confirmed.has(text) || (view === "tx" && index === 1 && isHashLike(text))
  const why: RefusedText | undefined = isUnfit(route)
    ? { kind: "secret" }
    : items.every(isKnown)
      ? undefined
      : { kind: "hash", route }
  refusal.set(why)
  return why === undefined
}
