import { share } from "../text/format.ts"
import { t } from "../text/language.ts"

/** A part of a whole. */
export interface RingPart {
  readonly name: string
  /** From 0 to 1. */
  readonly share: number
}

/** Parts with a colour; the rest are drawn as one part. */
const maxParts = 5

/** The colour of a part, by its place. */
export const partColour = (index: number) => ({ "--part": `var(--part-${index})` })

/** The largest parts, and one part for the rest. */
const largest = (parts: ReadonlyArray<RingPart>): ReadonlyArray<RingPart> => {
  const sorted = parts.toSorted((a, b) => b.share - a.share)
  const rest = sorted.slice(maxParts).reduce((total, part) => total + part.share, 0)
  return [...sorted.slice(0, maxParts), ...(rest > 0 ? [{ name: t("others"), share: rest }] : [])]
}

const radius = 42
const around = 2 * Math.PI * radius

/** The parts of a total as a ring with a legend. */
export const Ring = ({ label, parts }: { readonly label: string; readonly parts: ReadonlyArray<RingPart> }) => {
  const shown = largest(parts)
  let before = 0
  return (
    <figure class="allocation">
      <svg viewBox="0 0 100 100" aria-hidden="true">
        {shown.map((part, index) => {
          const from = before
          before += part.share
          // A gap of a pixel between parts; thin parts have none.
          const length = Math.max(part.share * around - 1, part.share * around * 0.5)
          return (
            <circle
              key={index}
              style={partColour(index)}
              cx="50"
              cy="50"
              r={radius}
              stroke-dasharray={`${length} ${around - length}`}
              stroke-dashoffset={-from * around}
            />
          )
        })}
      </svg>
      <ul class="legend" aria-label={label}>
        {shown.map((part, index) => (
          <li key={index}>
            <span class="swatch" style={partColour(index)} />
            <bdi>{part.name}</bdi>
            <span class="number">{share(part.share)}</span>
          </li>
        ))}
      </ul>
    </figure>
  )
}
