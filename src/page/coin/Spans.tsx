import { counted } from "../text/format.ts"
import { type Span, spans } from "./series.ts"

/** Selects how many days back a chart goes. */
export const Spans = ({ choose, span }: { readonly span: Span; readonly choose: (span: Span) => void }) => (
  <fieldset class="choices">
    <legend class="only-read">Days</legend>
    {spans.map((days) => (
      <button key={days} type="button" aria-pressed={days === span} onClick={() => choose(days)}>
        {counted(days, "day")}
      </button>
    ))}
  </fieldset>
)
