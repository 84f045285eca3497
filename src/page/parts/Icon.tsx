import { useState } from "preact/hooks"
import { sanitized } from "../text/format.ts"

/** Outlines on a grid of 24. */
const paths = {
  portfolio: "M4 7h14a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2zM4 7l11-3v3M16.5 13.5h.01",
  activity: "M4 8h13M13 4l4 4-4 4M20 16H7M11 12l-4 4 4 4",
  coins: "M4 18l5-6 4 3 7-9M15 6h5v5",
  networks: "M12 3v5M6 21v-4a2 2 0 0 1 2-2h8a2 2 0 0 1 2 2v4M12 15V8M9.5 5.5a2.5 2.5 0 1 0 5 0 2.5 2.5 0 0 0-5 0",
  status: "M3 12h4l2.5-7 5 14L17 12h4",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M13 7a2 2 0 1 0 4 0 2 2 0 0 0-4 0M7 17a2 2 0 1 0 4 0 2 2 0 0 0-4 0",
  received: "M18 6L6 18M6 8v10h10",
  sent: "M6 18L18 6M8 6h10v10",
  swapped: "M7 4v13M3.5 13.5L7 17l3.5-3.5M17 20V7M13.5 10.5L17 7l3.5 3.5",
  other: "M8 7l-5 5 5 5M16 7l5 5-5 5",
  pending: "M12 7v5l3 2M3 12a9 9 0 1 0 18 0 9 9 0 0 0-18 0",
  alert: "M12 4L2.5 20h19zM12 10v4M12 17h.01",
  close: "M6 6l12 12M18 6L6 18",
  copy: "M9 9h10v11H9zM15 9V4H5v11h4",
  done: "M5 12.5l4.5 4.5L19 7",
  edit: "M5 19l1-4L16 5l3 3L9 18z"
} as const

export type IconName = keyof typeof paths

/** A symbol next to a text, or in a button with a label. Screen readers skip it. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)

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
    {sanitized(address, 300).slice(-3)}
  </span>
)
