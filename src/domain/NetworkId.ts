import * as Schema from "effect/Schema"

/** Id of a network in requests and responses: lower case, words joined by `-` (`ethereum-classic`). */
export const NetworkId = Schema.String.pipe(Schema.pattern(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/), Schema.brand("NetworkId"))
export type NetworkId = typeof NetworkId.Type

/** The prefix of a network's environment variables: `ethereum-classic` becomes `ETHEREUM_CLASSIC`. */
export const variablePrefix = (id: NetworkId): string => id.toUpperCase().replaceAll("-", "_")
