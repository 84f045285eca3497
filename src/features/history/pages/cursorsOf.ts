import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Find } from "../../../chains/Chains.ts"
import { heightsOf } from "../../../chains/kit/history/heights.ts"
import type { Millis } from "../../../domain/units.ts"
import type { RequestedNetworks } from "../../reading.ts"
import * as PageCursor from "./PageCursor.ts"

/** Cursors of a request by network and address. */
export type CursorTexts = Readonly<Record<string, Readonly<Record<string, string>>>>

/** A cursor that is refused, and why. */
export interface RefusedCursor {
  readonly network: string
  readonly address: string
  readonly message: string
}

/** The cursors of a request. */
export interface Cursors {
  /** By network and address as the client wrote them; undefined for the first page. */
  readonly of: (network: string, address: string) => PageCursor.PageCursor | undefined
  /** The cursor as the client sent it. */
  readonly textOf: (network: string, address: string) => string | undefined
}

/** No cursors: the first page of every address. */
export const none: Cursors = { of: () => undefined, textOf: () => undefined }

/** Parses the cursors of a request. Left has invalid cursors and those of addresses not in the request. */
export const cursorsOf =
  (find: Find, clock: Millis) =>
  (wanted: RequestedNetworks, texts: CursorTexts): Either.Either<Cursors, ReadonlyArray<RefusedCursor>> => {
    const refused: Array<RefusedCursor> = []
    const found = new Map<string, { readonly cursor: PageCursor.PageCursor; readonly text: string }>()
    for (const [network, byAddress] of Object.entries(texts))
      for (const [address, text] of Object.entries(byAddress)) {
        const read =
          Object.hasOwn(wanted, network) && wanted[network]?.includes(address)
            ? cursorOf(find, clock, network, address, text)
            : Either.left("is the cursor of an address that is not under networks in the request")
        if (read === undefined) continue
        if (Either.isLeft(read)) refused.push({ network, address, message: read.left })
        else found.set(keyOf(network, address), { cursor: read.right, text })
      }
    return refused.length > 0
      ? Either.left(refused)
      : Either.right({
          of: (network, address) => found.get(keyOf(network, address))?.cursor,
          textOf: (network, address) => found.get(keyOf(network, address))?.text
        })
  }

/** Undefined if the network is not supported: its cursors are skipped. */
const cursorOf = (find: Find, clock: Millis, name: string, text: string, cursor: string) =>
  Option.match(find(name), {
    onNone: () => undefined,
    onSome: (network) =>
      PageCursor.fromText(
        Either.match(network.address(text), {
          onLeft: () => undefined,
          onRight: (canonical) => ({ network: network.facts.id, address: canonical })
        }),
        cursor,
        heightsOf(network).max(clock)
      )
  })

const keyOf = (network: string, address: string) => `${network}\n${address}`
