import { foreign } from "../text/format.ts"

const hues = 12

/** The same name has the same colour everywhere. */
const hueOf = (name: string) => {
  let hash = 0
  for (const letter of name) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0
  return hash % hues
}

/** The initials of a coin in place of its icon: nobody learns from a picture what is looked at here. */
export const CoinMark = ({ symbol }: { readonly symbol: string }) => (
  <span class={`mark hue-${hueOf(symbol)}`} aria-hidden="true">
    {[...foreign(symbol, 8).toUpperCase()].slice(0, 3).join("") || "?"}
  </span>
)
