import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { Api } from "../../contract/Api.ts"
import { type FoundIcon, Icons } from "./Icons.ts"

/** An SVG that a browser opens as a page must not run or load anything. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** A drawn icon is reused for a short time only: the service may find the icon soon. */
const seconds = { found: 86_400, drawn: 300 }

/** After that, browsers show the earlier icon while they read it again, seconds: also while they are offline. */
const whileRevalidating = 30 * 86_400

const cacheControl = (isFound: boolean) =>
  `public, max-age=${isFound ? seconds.found : seconds.drawn}, stale-while-revalidate=${whileRevalidating}`

const toResponse = ({ bytes, isFound, type }: FoundIcon) =>
  // A Blob is not compressed, as images are already.
  HttpServerResponse.raw(new Blob([bytes as Uint8Array<ArrayBuffer>]), {
    contentType: type,
    contentLength: bytes.byteLength,
    headers: { "cache-control": cacheControl(isFound), "content-security-policy": policy }
  })

export const layer = HttpApiBuilder.group(Api, "icons", (handlers) =>
  Effect.map(Icons, ({ icon }) =>
    handlers.handleRaw("icon", ({ path: { coinId } }) => Effect.map(icon(coinId), toResponse))
  )
)
