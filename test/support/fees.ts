import * as Effect from "effect/Effect"
import type { ReadFailure } from "../../src/chains/Chain.ts"
import { type FeeFamily, type Fees, type FeesOf, levelNames } from "../../src/domain/fees/Fees.ts"
import { networkOver } from "./chains.ts"
import * as EvmNodes from "./EvmNodes.ts"
import { settled } from "./settled.ts"

/** A network over simulated hosts, and the requests that they received. */
export const networkOf = (
  id: string,
  hosts: Readonly<Record<string, EvmNodes.SimulatedHost>>,
  environment: Readonly<Record<string, string>> = {}
) =>
  Effect.gen(function* () {
    const { layer, seen } = EvmNodes.clientOver(hosts)
    const network = yield* networkOver(id, layer, { environment })
    return { network, seen, fees: yield* Effect.fromNullable(network.fees) }
  }).pipe(Effect.orDie)

/** The network's fees, read once. */
export const feesOf = (
  id: string,
  hosts: Readonly<Record<string, EvmNodes.SimulatedHost>>,
  environment: Readonly<Record<string, string>> = {}
): Effect.Effect<Fees, ReadFailure> =>
  // A second source that does not respond takes two seconds.
  Effect.scoped(Effect.flatMap(networkOf(id, hosts, environment), ({ fees }) => settled(fees.current, "3 seconds")))

/** Narrows fees to a family; throws if they are of another. */
export const as = <Family extends FeeFamily>(family: Family, fees: Fees): FeesOf<Family> => {
  if (fees.family !== family) throw new Error(`fees of ${fees.family}`)
  return fees as FeesOf<Family>
}

/** A member of every level, from slow to fast. */
export const eachOf = ({ levels }: Fees, name: string): ReadonlyArray<unknown> =>
  levelNames.map((level) => (levels[level] as Readonly<Record<string, unknown>>)[name])
