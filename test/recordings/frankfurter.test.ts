import * as Effect from "effect/Effect"
import { Frankfurter } from "../../src/providers/Frankfurter.ts"
import type { Exchange } from "../support/fixtures.ts"
import type { SentRequest } from "../support/http.ts"
import { calling, pathOf, queryOf } from "./readers/market.ts"
import { recordingsOf, row } from "./table.ts"

const read = calling(Frankfurter.layer)
const day = (text: string) => Date.parse(text)
const requests = (sent: SentRequest, recording: Exchange) => [pathOf(sent, recording), queryOf(sent, recording)]

recordingsOf("frankfurter", {
  samples: {
    latest: row(
      read(
        Effect.flatMap(Frankfurter, ({ latest }) => latest),
        { requests }
      ),
      [{ at: day("2026-11-20"), perUsd: { eur: 0.8611, jpy: 153.92 } }, [true, true]],
      "the last working day, by lower-case code"
    ),
    range: row(
      read(
        Effect.flatMap(Frankfurter, ({ since }) => since("eur", day("2026-11-16T10:00:00Z"))),
        { requests }
      ),
      [
        [
          { at: day("2026-11-17"), perUsd: { eur: 0.861 } },
          { at: day("2026-11-18"), perUsd: { eur: 0.862 } }
        ],
        [true, true]
      ],
      "past days of one currency, in ascending order"
    )
  }
})
