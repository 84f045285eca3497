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

/** The same in all texts of a structure. */
export const concealedIn = (conceal: (text: string) => string) => {
  const within = (value: unknown): unknown => {
    if (typeof value === "string") return conceal(value)
    if (Array.isArray(value)) return value.map(within)
    return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
      ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, within(member)]))
      : value
  }
  return within
}
