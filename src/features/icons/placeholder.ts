import { createHash } from "node:crypto"
import type { CoinId } from "../../domain/CoinId.ts"
import type { Icon } from "./Icon.ts"

const encoder = new TextEncoder()

/** Draws the mark of a coin without an icon: its first letter on a disc. Colours and form follow from the coin id. */
export const placeholder = (id: CoinId): Icon => {
  const [hue = 0, turn = 0, size = 0] = createHash("sha256").update(id).digest()
  const colour = Math.round((hue / 256) * 360)
  const letter = /[a-z0-9]/i.exec(id)?.[0].toUpperCase() ?? "?"
  const svg = [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">',
    `<circle cx="32" cy="32" r="32" fill="hsl(${colour},45%,36%)"/>`,
    `<path d="M32 0A32 32 0 0 1 32 64A${40 + (size % 24)} 40 0 0 0 32 0Z" fill="hsl(${(colour + 40) % 360},45%,30%)" transform="rotate(${Math.round((turn / 256) * 360)} 32 32)"/>`,
    `<text x="32" y="43" text-anchor="middle" font-family="sans-serif" font-size="32" font-weight="700" fill="#fff">${letter}</text>`,
    "</svg>"
  ].join("")
  return { type: "image/svg+xml", bytes: encoder.encode(svg) }
}
