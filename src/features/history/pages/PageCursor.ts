import { sha256 } from "@noble/hashes/sha2"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"

// The cursor of a page of a history: the position of the last transaction, as the chain has it. It contains all that is
// needed, so that any process can go on from it, and any source.

/** Where the page before ended. */
export interface PageCursor {
  /** Of its last transaction; null where that waits for a block. */
  readonly height: number | null
  /** The hash of its last transaction. */
  readonly last: string
  /** The hash of the lowest transaction above that height, if one was returned. */
  readonly above?: string
  /** How many transactions were returned, over all pages. */
  readonly returned: number
  /** Digests of the transactions at that height that were returned; of all that were returned where it is null. */
  readonly seen: ReadonlySet<string>
  /** Digests of those that were returned while they waited for a block: they have a height now. */
  readonly waited: ReadonlySet<string>
  /** Where a network has several chains: the lowest block of each of them that was returned. */
  readonly blocks?: Readonly<Record<string, number>>
  /** Other accounts of the address. */
  readonly accounts: ReadonlyArray<string>
}

/** Bytes of a digest: too many for two transactions of an address to have the same. */
const digestBytes = 8

/** More transactions of one address are at no height; each adds {@link digestBytes} to the cursor. */
export const maxDigests = 4_000

/** More characters than any cursor has. */
export const maxLength = 131_072

/** What a cursor has of the hash of a transaction. */
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

/** Hashes, addresses and places of events, of which sources make paths. */
const Name = Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9][\w:+=-]{0,127}$/))

/** No chain has more blocks. */
const Block = Schema.Int.pipe(Schema.between(0, 0xffff_ffff))

/** Short names: it is sent with every request. */
const Content = Schema.parseJson(
  Schema.Struct({
    h: Schema.NullOr(Schema.Int.pipe(Schema.nonNegative())),
    l: Name,
    a: Schema.optionalWith(Name, { exact: true }),
    n: Schema.Int.pipe(Schema.positive()),
    b: Schema.optionalWith(Schema.Record({ key: Name, value: Block }), { exact: true }),
    s: Digests,
    w: Digests,
    c: Schema.Array(Name).pipe(Schema.maxItems(256))
  })
)

const decode = Schema.decodeUnknownEither(Content)

/** Increased when cursors of before can no longer be used. */
const version = "2"

/** Bytes of the two checksums: of the content, and of the content for an address. */
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
  const { above, accounts, blocks, height, last, returned, seen, waited } = cursor
  const content = JSON.stringify({
    h: height,
    l: last,
    ...(above === undefined ? {} : { a: above }),
    n: returned,
    ...(blocks === undefined ? {} : { b: blocks }),
    s: packed(seen),
    w: packed(waited),
    c: accounts
  })
  const bytes = Buffer.concat([sumOf(content, contentSum), ownSum(owner, content), Buffer.from(content)])
  return version + bytes.toString("base64url")
}

/**
 * Left says what is wrong with it: it is none of this service, or of another network or address. Anybody can make one that
 * has its checksums: its values have a form, and it is written as this service writes it.
 */
export const fromText = (
  owner: CursorOwner | undefined,
  text: string,
  maxHeight = Number.MAX_SAFE_INTEGER
): Either.Either<PageCursor, string> => {
  if (text.length > maxLength || !/^\d[A-Za-z0-9_-]{20,}$/.test(text)) return Either.left(notOurs)
  if (!text.startsWith(version))
    return Either.left("is a cursor of another version of this service: begin with the first page again")
  const bytes = Buffer.from(text.slice(1), "base64url")
  const content = bytes.subarray(contentSum + ownerSum).toString()
  if (!bytes.subarray(0, contentSum).equals(sumOf(content, contentSum))) return Either.left(notOurs)
  const sum = bytes.subarray(contentSum, contentSum + ownerSum)
  if (owner === undefined || !sum.equals(ownSum(owner, content)))
    return Either.left("is the cursor of another network or address")
  return Either.mapLeft(decode(content), () => notOurs).pipe(
    Either.map(
      ({ a, b, c, h, l, n, s, w }): PageCursor => ({
        height: h,
        last: l,
        ...(a === undefined ? {} : { above: a }),
        returned: n,
        ...(b === undefined ? {} : { blocks: b }),
        seen: new Set(s),
        waited: new Set(w),
        accounts: c
      })
    ),
    Either.filterOrLeft(
      (cursor) => (cursor.height ?? 0) <= maxHeight && toText(owner, cursor) === text,
      () => notOurs
    )
  )
}

const notOurs = "is not a cursor of this service"
