import * as Schema from "effect/Schema"

// Schemas that several queries share, and their format in the old API.

/** An integer: GraphQL returns small values as numbers and large values as strings. */
export const Count = Schema.Union(Schema.NonNegativeInt, Schema.String.pipe(Schema.pattern(/^\d{1,40}$/)))

export const Digits = Schema.String.pipe(Schema.pattern(/^\d{1,40}$/))

export const PageInfo = Schema.Struct({
  hasNextPage: Schema.Boolean,
  endCursor: Schema.optional(Schema.NullOr(Schema.String))
})

/** A page without rows has no end cursor, even if there are more pages: it counts as the last page. */
export const paged = ({ endCursor, hasNextPage }: typeof PageInfo.Type) => ({
  nextCursor: endCursor ?? null,
  hasNextPage: hasNextPage && (endCursor ?? null) !== null
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
