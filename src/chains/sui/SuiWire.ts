import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Height } from "../../domain/units.ts"

// Schemas that several queries share, and their format in the old API.

/** An integer: GraphQL returns small values as numbers and large values as strings. */
export const Count = Schema.Union(Schema.NonNegativeInt, Schema.String.pipe(Schema.pattern(/^\d{1,40}$/)))

export const Checkpoint = Schema.compose(Schema.NonNegativeInt, Height)

/** Absent if the field was not requested, null if the host does not have it. */
export const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

/** The address of system transactions. */
export const zero = `0x${"0".repeat(64)}`

export const Digits = Schema.String.pipe(Schema.pattern(/^\d{1,40}$/))

export const PageInfo = Schema.Struct({
  hasNextPage: Schema.Boolean,
  endCursor: maybe(Schema.String)
})

/** A page of a list. */
export const Page = <A, I>(row: Schema.Schema<A, I>) => Schema.Struct({ nodes: Schema.Array(row), pageInfo: PageInfo })

/** The fields of {@link Page}. */
export const pageOf = (row: string) => `nodes { ${row} } pageInfo { hasNextPage endCursor }`

/** A page without rows has no end cursor, even if there are more pages: it counts as the last page. */
export const paged = ({ endCursor, hasNextPage }: typeof PageInfo.Type) => ({
  nextCursor: endCursor ?? null,
  hasNextPage: hasNextPage && (endCursor ?? null) !== null
})

interface SuiPage<A> {
  readonly nodes: ReadonlyArray<A>
  readonly pageInfo: typeof PageInfo.Type
}

/** Reads the pages after the first, up to `maxPages` pages. Also returns the state of the last page. */
export const readAllPages = <A, E>(
  first: SuiPage<A>,
  maxPages: number,
  read: (after: string) => Effect.Effect<SuiPage<A>, E>
) =>
  Effect.gen(function* () {
    const rows = [...first.nodes]
    let last = first.pageInfo
    for (let pages = 1; last.hasNextPage && last.endCursor && pages < maxPages; pages += 1) {
      const page = yield* read(last.endCursor)
      rows.push(...page.nodes)
      last = page.pageInfo
    }
    return { rows, last }
  })

/** A type in the format of the old API: no leading zeros in addresses, a space between parameters. */
export const typeName = (repr: string) => repr.replace(/\b0x0+(?=[0-9a-f])/g, "0x").replace(/,\s*/g, ", ")

export const ownerFields =
  "owner { __typename ... on AddressOwner { address { address } } ... on ObjectOwner { address { address } } ... on Shared { initialSharedVersion } ... on ConsensusAddressOwner { startVersion address { address } } }"

const Party = Schema.Struct({ address: Schema.NonEmptyString })

export const Owner = Schema.Union(
  Schema.Struct({ __typename: Schema.Literal("AddressOwner"), address: Party }),
  Schema.Struct({ __typename: Schema.Literal("ObjectOwner"), address: Party }),
  Schema.Struct({ __typename: Schema.Literal("Shared"), initialSharedVersion: Count }),
  Schema.Struct({ __typename: Schema.Literal("ConsensusAddressOwner"), startVersion: Count, address: Party }),
  Schema.Struct({ __typename: Schema.Literal("Immutable") })
)

export const ownerOf = (owner: typeof Owner.Type) => {
  switch (owner.__typename) {
    case "AddressOwner":
      return { AddressOwner: owner.address.address }
    case "ObjectOwner":
      return { ObjectOwner: owner.address.address }
    case "Shared":
      return { Shared: { initial_shared_version: Number(owner.initialSharedVersion) } }
    case "ConsensusAddressOwner":
      return { ConsensusAddressOwner: { owner: owner.address.address, start_version: Number(owner.startVersion) } }
    case "Immutable":
      return "Immutable"
  }
}
