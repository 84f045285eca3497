import type * as Context from "effect/Context"
import type * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Chain } from "../../chains/Chain.ts"
import type { Find } from "../../chains/Chains.ts"
import type { RequestedNetworks } from "../reading.ts"
import type { Cursors } from "./pages/cursorsOf.ts"
import type * as PageCursor from "./pages/PageCursor.ts"

/** One address of a request, on a supported network. */
export interface HistoryRequest {
  readonly name: string
  readonly text: string
  readonly network: Context.Tag.Service<Chain>
  readonly address: Either.Either<string, string>
  /** Undefined for the first page. */
  readonly cursor: PageCursor.PageCursor | undefined
  readonly cursorText: string | undefined
}

/** The requests per network, without duplicates. Skips unsupported networks; keeps networks without addresses. */
export const supported = (wanted: RequestedNetworks, cursors: Cursors, find: Find) =>
  Object.entries(wanted).flatMap(([name, texts]) =>
    Option.match(find(name), {
      onNone: () => [],
      onSome: (network) => {
        const requests = [...new Set(texts)].map(
          (text): HistoryRequest => ({
            name,
            text,
            network,
            address: network.address(text),
            cursor: cursors.of(name, text),
            cursorText: cursors.textOf(name, text)
          })
        )
        return [{ name, requests }]
      }
    })
  )
