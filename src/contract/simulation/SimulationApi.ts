import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Catalogue from "../../catalogue/Catalogue.ts"
import { parse } from "../../domain/evmAddress.ts"
import { enumOf, optional, text } from "../../domain/fields.ts"
import { BodyProblems, UpstreamFailed } from "../Problem.ts"
import { asObject, described, inRequest, wholeNumber } from "../wire.ts"

/** Text in a format; `problem` returns the error of an invalid value. */
export const formed =
  (pattern: string, problem: (value: string) => string | undefined) => (description: string, example: string) =>
    text(description, example)
      .pipe(Schema.filter((value) => problem(value) ?? true, { jsonSchema: { pattern } }))
      .annotations({ description, examples: [example] })

const address = formed("^0x[0-9a-fA-F]{40}$", (value) => Option.getOrUndefined(Either.getLeft(parse(value))))

const quantity = formed("^(\\d{1,78}|0x[0-9a-fA-F]{1,64})$", (value) =>
  /^(\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(value) && BigInt(value) < 2n ** 256n
    ? undefined
    : "must be a whole number below 2^256: decimal, or 0x and hexadecimal digits"
)

/** Bytes in hexadecimal digits after `0x`. */
export const bytes = formed("^0x([0-9a-fA-F]{2})*$", (value) =>
  // A pattern of repeated groups of two would need memory for each group.
  value.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(value)
    ? undefined
    : "must be 0x and whole bytes in hexadecimal digits"
)

const [firstChain = "", ...otherChains] = Catalogue.simulated

export const SimulationRequest = Schema.Struct({
  chain: enumOf("Chain id.", [firstChain, ...otherChains]),
  input: Schema.Struct({
    from: address("The sender.", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"),
    to: address("The target.", "0xdAC17F958D2ee523a2206206994597C13D831ec7"),
    input: bytes("Call data.", "0xa9059cbb"),
    gas: optional(wholeNumber("Gas limit, in units of gas.", 1, Number.MAX_SAFE_INTEGER, 8000000)),
    gas_price: optional(quantity("Gas price, in base units.", "0")),
    value: optional(quantity("Amount of the native coin to send, in base units.", "0")),
    block_number: optional(
      wholeNumber(
        "Block number at which to simulate; the latest block by default.",
        0,
        Number.MAX_SAFE_INTEGER,
        21000000
      )
    ),
    simulation_type: optional(enumOf("Kind of simulation; full by default.", ["full", "quick", "abi"]))
  }).annotations({ ...asObject, identifier: "SimulationInput", description: "The transaction." })
}).annotations({ ...inRequest, identifier: "SimulationRequest", description: "A transaction to simulate." })
export type SimulationRequest = typeof SimulationRequest.Type

const Simulation = Schema.Struct(
  {
    simulationUrl: Schema.NullOr(Schema.String).annotations({
      description: "URL of the public page of the simulation; null if the simulation was made but may not be public.",
      examples: ["https://simulations.example/shared/1"]
    }),
    simulationUrlError: optional(text("Why simulationUrl is null.", "timed out after 5000 ms"))
  },
  Schema.Record({ key: Schema.String, value: Schema.Unknown })
).annotations({
  identifier: "Simulation",
  description: "All fields of the provider's response, unchanged, and the URL of its page.",
  examples: [
    {
      transaction: { hash: "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060", status: true },
      simulation: { id: "9d97f10b-5a4e-4b59-8fd4-2b5da6375f55", status: true },
      simulationUrl: "https://simulations.example/shared/9d97f10b-5a4e-4b59-8fd4-2b5da6375f55"
    }
  ]
})

const simulationDescription =
  "Simulates the transaction at the simulation provider (Tenderly), saves it there and makes the result public. **It stays public permanently**: a simulation cannot be deleted, and its page shows sender, target, call data and all effects of the transaction. A transaction that fails is a normal result. If the provider rejects the request (a future block, a sender with insufficient coins), the response is 400 with the provider's message. The request is sent once: a simulation that may have been made is not repeated. If the simulation cannot be made public, the result is still returned, with a null simulationUrl and the reason in simulationUrlError."

/** The effects of a transaction before it is sent. */
export const simulate = HttpApiEndpoint.post("simulate", "/utils/simulate-tx")
  .setPayload(SimulationRequest)
  .addSuccess(Simulation)
  .addError(BodyProblems)
  .addError(UpstreamFailed.schema)
  .annotateContext(described("Simulate a transaction", simulationDescription))
