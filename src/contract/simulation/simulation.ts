import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Catalogue from "../../catalogue/Catalogue.ts"
import { parse } from "../../domain/evmAddress.ts"
import { optional, text, word } from "../../domain/fields.ts"
import { anObject, incoming, whole } from "../wire.ts"

/** Text of a form; `problem` says what is wrong with a value. */
const formed =
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

const bytes = formed("^0x([0-9a-fA-F]{2})*$", (value) =>
  // Groups of two would be remembered one by one.
  value.length % 2 === 0 && /^0x[0-9a-fA-F]*$/.test(value)
    ? undefined
    : "must be 0x and whole bytes in hexadecimal digits"
)

const [firstChain = "", ...otherChains] = Catalogue.simulated

export const SimulationRequest = Schema.Struct({
  chain: word("Chain id.", [firstChain, ...otherChains]),
  input: Schema.Struct({
    from: address("The sender.", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"),
    to: address("The target.", "0xdAC17F958D2ee523a2206206994597C13D831ec7"),
    input: bytes("Call data.", "0xa9059cbb"),
    gas: optional(whole("Gas to use.", 1, Number.MAX_SAFE_INTEGER, 8000000)),
    gas_price: optional(quantity("Gas price to use, base units.", "0")),
    value: optional(quantity("Native coin to send along, base units.", "0")),
    block_number: optional(
      whole("Block at which to simulate; the newest when it is left out.", 0, Number.MAX_SAFE_INTEGER, 21000000)
    ),
    simulation_type: optional(word("Kind of simulation; full when it is left out.", ["full", "quick", "abi"]))
  }).annotations({ ...anObject, identifier: "SimulationInput", description: "The transaction." })
}).annotations({ ...incoming, identifier: "SimulationRequest", description: "A transaction to simulate." })
export type SimulationRequest = typeof SimulationRequest.Type

export const Simulation = Schema.Struct(
  {
    simulationUrl: Schema.NullOr(Schema.String).annotations({
      description:
        "Public page of the simulation; null where the simulation was made but is not known to have become public.",
      examples: ["https://simulations.example/shared/1"]
    }),
    simulationUrlError: optional(text("Why simulationUrl is null.", "timed out after 5000 ms"))
  },
  Schema.Record({ key: Schema.String, value: Schema.Unknown })
).annotations({
  identifier: "Simulation",
  description: "All fields of the provider's response, unchanged, and the address of its page.",
  examples: [
    {
      transaction: { hash: "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060", status: true },
      simulation: { id: "9d97f10b-5a4e-4b59-8fd4-2b5da6375f55", status: true },
      simulationUrl: "https://simulations.example/shared/9d97f10b-5a4e-4b59-8fd4-2b5da6375f55"
    }
  ]
})

export const simulationDescription =
  "Runs the transaction at the simulation provider (Tenderly), saves it there and makes the result public. **It stays public for ever**: a simulation cannot be deleted, and the link shows sender, target, call data and everything that the transaction would do. A transaction that fails is a result like any other. What the provider refuses (a future block, a sender without the coins) is 400 with its message. Sent once: a simulation that may have been made is not made again. If it cannot be shared, the result is returned all the same, with a null simulationUrl and the reason in simulationUrlError."
