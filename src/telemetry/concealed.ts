import * as Effect from "effect/Effect"
import { concealing } from "../kernel/text/concealSecrets.ts"
import { withoutWallets } from "../kernel/text/concealWallets.ts"
import { Settings } from "../settings/Settings.ts"

/** Replaces the secrets of the operator, and wallets of users, in texts. Layers read their variables while they are built: it follows them. */
export const conceal = Effect.map(Settings, ({ secrets }) => {
  let known = 0
  let replace = (text: string) => text
  return (text: string): string => {
    const all = secrets()
    if (all.size !== known) {
      known = all.size
      replace = concealing([...all])
    }
    return withoutWallets(replace(text))
  }
})

/** Texts of clients, which errors quote, may be names of addresses. */
const withoutQuotes = (text: string) => text.replace(/"[^"\n]*"/g, '"…"')

const isException = (value: object) => "key" in value && String(value.key).startsWith("exception.")

/** The same in all texts of a structure, and without quoted texts in exceptions of spans. */
export const concealedIn = (conceal: (text: string) => string) => {
  const within =
    (hide: (text: string) => string) =>
    (value: unknown): unknown => {
      if (typeof value === "string") return hide(value)
      if (Array.isArray(value)) return value.map(within(hide))
      if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
      const own = within(isException(value) ? (text) => withoutQuotes(conceal(text)) : hide)
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, own(member)]))
    }
  return within(conceal)
}
