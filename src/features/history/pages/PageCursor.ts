import { sha256 } from "@noble/hashes/sha2"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Height, Position, position } from "../../../domain/units.ts"

// The cursor of a page of a history: the position of the last transaction on the chain. It is self-contained, so that
// any process can continue from it, with any source.

/** The end of the previous page. */
export interface PageCursor {
  /** No transaction above this height is missing from the pages; null if all their transactions have no height yet. */
  readonly height: Position | null
  /** The hash of the transaction to continue at: its last one, or the one below it. */
  readonly last: string
  /** The hash of the lowest transaction above that height, if one was returned. */
  readonly above?: string
  /** Number of transactions returned on all pages so far. */
  readonly returned: number
  /** Digests of the returned transactions at that height; of all returned transactions if the height is null. */
  readonly seenDigests: ReadonlySet<string>
  /** Digests of transactions returned while pending: they may have a height by now. */
  readonly pendingDigests: ReadonlySet<string>
  /** The lowest returned block of each chain, for a network with several chains. */
  readonly blocks?: Readonly<Record<string, Height>>
  /** Other accounts of the address. */
  readonly accounts: ReadonlyArray<string>
  /** Lists of the source that have no row at this height or below. */
  readonly ended?: ReadonlyArray<string>
}

/** Bytes of a digest: enough that the transactions of an address do not collide. */
const digestBytes = 8

/** Maximum number of digests: no address has more transactions at one height. Each adds {@link digestBytes} bytes. */
export const maxDigests = 4_000

/** Maximum length of a cursor in characters. */
export const maxLength = 131_072

/** The digest of a transaction's hash in a cursor. */
export const digest = (hash: string): string => Buffer.from(sha256(hash).subarray(0, digestBytes)).toString("hex")

const packed = (digests: Iterable<string>) => Buffer.from([...digests].join(""), "hex").toString("base64url")

const Digests = Schema.transform(
  Schema.String.pipe(Schema.pattern(/^(?:[A-Za-z0-9_-]{2,})?$/)),
  Schema.Array(Schema.String),
  {
    strict: true,
    decode: (text) => Buffer.from(text, "base64url").toString("hex").match(/.{16}/g) ?? [],
    encode: packed
  }
)

/** Hashes, addresses and event positions, which sources use in URL paths. */
const Name = Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9][\w:+=-]{0,127}$/))

/** A block number; no chain has more blocks. */
const Block = Schema.compose(Schema.Int.pipe(Schema.between(0, 0xffff_ffff)), Height)

/** Short field names, because a cursor is sent with every request. */
const Content = Schema.parseJson(
  Schema.Struct({
    h: Schema.NullOr(Schema.compose(Schema.NonNegativeInt, Position)),
    l: Name,
    a: Schema.optionalWith(Name, { exact: true }),
    n: Schema.Int.pipe(Schema.positive()),
    b: Schema.optionalWith(Schema.Record({ key: Name, value: Block }), { exact: true }),
    s: Digests,
    w: Digests,
    c: Schema.Array(Name).pipe(Schema.maxItems(256)),
    e: Schema.optionalWith(Schema.Array(Name).pipe(Schema.maxItems(8)), { exact: true })
  })
)

const decode = Schema.decodeUnknownEither(Content)

/** Increase it when older cursors can no longer be used. */
const version = "2"

/** Bytes of the two checksums: of the content, and of the content with its owner. */
const [contentSum, ownerSum] = [6, 9]

const sumOf = (text: string, length: number) => Buffer.from(sha256(text).subarray(0, length))

/** A network's id and an address in canonical form. */
export interface CursorOwner {
  readonly network: string
  readonly address: string
}

const ownSum = ({ address, network }: CursorOwner, content: string) =>
  sumOf([network, address, content].join("\n"), ownerSum)

export const toText = (owner: CursorOwner, cursor: PageCursor): string => {
  const { above, accounts, blocks, ended, height, last, returned, seenDigests, pendingDigests } = cursor
  const content = JSON.stringify({
    h: height,
    l: last,
    ...(above === undefined ? {} : { a: above }),
    n: returned,
    ...(blocks === undefined ? {} : { b: blocks }),
    s: packed(seenDigests),
    w: packed(pendingDigests),
    c: accounts,
    ...(ended === undefined ? {} : { e: ended })
  })
  const bytes = Buffer.concat([sumOf(content, contentSum), ownSum(owner, content), Buffer.from(content)])
  return version + bytes.toString("base64url")
}

/**
 * Parses a cursor. Left says why it is invalid: not created by this service, or for another network or address. Anyone
 * can compute the checksums, so values must have a valid form, and encoding them must give the same text.
 */
export const fromText = (
  owner: CursorOwner | undefined,
  text: string,
  maxHeight = position(Number.MAX_SAFE_INTEGER)
): Either.Either<PageCursor, string> => {
  if (text.length > maxLength || !/^\d[A-Za-z0-9_-]{20,}$/.test(text)) return Either.left(notOurs)
  if (!text.startsWith(version))
    return Either.left("is a cursor of another version of this service: start again with the first page")
  const bytes = Buffer.from(text.slice(1), "base64url")
  const content = bytes.subarray(contentSum + ownerSum).toString()
  if (!bytes.subarray(0, contentSum).equals(sumOf(content, contentSum))) return Either.left(notOurs)
  const sum = bytes.subarray(contentSum, contentSum + ownerSum)
  if (owner === undefined || !sum.equals(ownSum(owner, content)))
    return Either.left("is the cursor of another network or address")
  return Either.mapLeft(decode(content), () => notOurs).pipe(
    Either.map(
      ({ a, b, c, e, h, l, n, s, w }): PageCursor => ({
        height: h,
        last: l,
        ...(a === undefined ? {} : { above: a }),
        returned: n,
        ...(b === undefined ? {} : { blocks: b }),
        seenDigests: new Set(s),
        pendingDigests: new Set(w),
        accounts: c,
        ...(e === undefined ? {} : { ended: e })
      })
    ),
    Either.filterOrLeft(
      (cursor) =>
        (cursor.height ?? position(0)) <= maxHeight &&
        cursor.seenDigests.size + cursor.pendingDigests.size <= maxDigests &&
        toText(owner, cursor) === text,
      () => notOurs
    )
  )
}

const notOurs = "is not a cursor of this service"
