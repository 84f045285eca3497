import * as Schema from "effect/Schema"

/** Id of a network in requests and responses: lower case, words joined by `-` (`ethereum-classic`). */
export const NetworkId = Schema.String.pipe(Schema.pattern(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/), Schema.brand("NetworkId"))
export type NetworkId = typeof NetworkId.Type

/** The prefix of the environment variables of a network or an upstream: `ethereum-classic` becomes `ETHEREUM_CLASSIC`. */
export const variablePrefix = (name: string): string => name.toUpperCase().replaceAll("-", "_")
