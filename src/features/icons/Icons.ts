import { createHash } from "node:crypto"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { CoinId } from "../../domain/CoinId.ts"
import * as Cache from "../../storage/Cache.ts"
import { GuardedFetch } from "../../upstream/guarded/GuardedFetch.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { Pricing } from "../prices/Pricing.ts"
import { queryCoinByCoin } from "../prices/queryCoinByCoin.ts"
import { type Icon, iconOf, maxIconBytes } from "./Icon.ts"

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

/** The icon of a coin; `isFound` is false for a drawn one. */
export interface FoundIcon extends Icon {
  readonly isFound: boolean
}

/** Icons of coins, from the addresses that the market data provider and the token lists name. */
export class Icons extends Context.Tag("features/icons/Icons")<
  Icons,
  {
    /** Cannot fail: draws the icon of a coin that has none. */
    readonly icon: (id: CoinId) => Effect.Effect<FoundIcon>
  }
>() {
  static readonly layer = Layer.scoped(
    Icons,
    Effect.gen(function* () {
      const pricing = yield* Pricing
      const guarded = yield* GuardedFetch

      const fetched = (url: string): Effect.Effect<Option.Option<Icon>, UpstreamError> =>
        Effect.map(guarded.get({ upstream: "icons", url, types, maxBytes: maxIconBytes }), iconOf).pipe(
          // Another fetch would have this result again for a while.
          Effect.catchIf(
            ({ final, reason }) => reason === "bad_answer" || final === true,
            () => Effect.succeedNone
          )
        )

      /** By address, so that a coin with a new address gets its new icon. */
      const icons = yield* Cache.make({
        name: "icons",
        version: 1,
        schema: StoredIcon,
        fresh: "7 days",
        stale: "30 days",
        notFound: "1 hour",
        failure: "5 minutes",
        // The bytes in memory are bounded too.
        capacity: 2_000,
        batch: 1,
        lookup: queryCoinByCoin(fetched)
      })

      const find = (url: string) => Effect.orElseSucceed(icons.get(url), (): Option.Option<Icon> => Option.none())

      return {
        icon: Effect.fn("Icons.icon")(function* (id: CoinId) {
          const url = (yield* pricing.facts([id])).get(id)?.image
          const icon = url === undefined ? Option.none() : yield* find(url)
          return Option.match(icon, {
            onNone: (): FoundIcon => ({ ...placeholder(id), isFound: false }),
            onSome: (found): FoundIcon => ({ ...found, isFound: true })
          })
        })
      }
    })
  )
}

/** Some hosts serve every file as `application/octet-stream` or `text/plain`; the bytes decide. */
const types = ["image/webp", "image/png", "image/jpeg", "image/svg+xml", "application/octet-stream", "text/plain"]

/** Base64 of the bytes. The bytes are checked again when they are read: other programs may write to the store. */
const StoredIcon = Schema.transformOrFail(
  Schema.compose(Schema.String.pipe(Schema.maxLength(2 * maxIconBytes)), Schema.Uint8ArrayFromBase64),
  Schema.declare((value): value is Icon => typeof value === "object"),
  {
    strict: true,
    decode: (bytes, _, ast) =>
      Option.match(iconOf(bytes), {
        onNone: () => ParseResult.fail(new ParseResult.Type(ast, bytes)),
        onSome: ParseResult.succeed
      }),
    encode: ({ bytes }) => ParseResult.succeed(bytes)
  }
)
