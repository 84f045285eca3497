import { useState } from "preact/hooks"
import { sanitized } from "../text/format.ts"

/** A colour by name, so that a coin has the same colour everywhere. */
const hueOf = (name: string) => {
  let hash = 0
  for (const letter of name.slice(0, 100)) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0
  return { "--hue": 30 * (hash % 12) }
}

interface CoinIconProps {
  /** A coin without an id has no icon. */
  readonly coinId: string
  readonly symbol: string
  readonly size?: "small" | "large" | "square"
}

/** The icon of a coin, loaded from this service; its initials until then, or if there is no icon. */
export const CoinIcon = ({ coinId, size, symbol }: CoinIconProps) => {
  const [broken, setBroken] = useState("")
  return (
    <span class={`mark ${size ?? ""}`} style={hueOf(symbol)} aria-hidden="true">
      {[...sanitized(symbol, 8).toUpperCase()].slice(0, 3).join("") || "?"}
      {/^[a-z0-9._-]{1,100}$/.test(coinId) && broken !== coinId && (
        <img src={`/icon/${coinId}`} alt="" loading="lazy" decoding="async" onError={() => setBroken(coinId)} />
      )}
    </span>
  )
}

/** A mark of an address, so that addresses are easy to distinguish. */
export const AddressMark = ({ address }: { readonly address: string }) => (
  <span class="mark square" style={hueOf(address)} aria-hidden="true">
    {sanitized(address, 300).slice(-4)}
  </span>
)
