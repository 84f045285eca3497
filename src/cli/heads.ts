import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ChainFacts } from "../catalogue/NetworkFacts.ts"
import type { Chain, SourceHead } from "../chains/Chain.ts"
import { toleranceOf } from "../chains/kit/status/currentHead.ts"
import { timeoutFail } from "../kernel/timeout.ts"
import { CurrentUse } from "../upstream/levers/Levers.ts"
import { remedy, type UpstreamVariables } from "./remedies.ts"

/** The newest block of a source. */
export interface CheckedHead {
  readonly network: string
  readonly upstream: string
  readonly host?: string
  /** The chain id that the source returned, on networks that have one. */
  readonly chain?: number
  readonly height?: number
  /** Blocks behind the highest source of the network. */
  readonly behind?: number
  /** Seconds since its newest block, if the source returns its time. */
  readonly age?: number
  /** Why it could not be read, or why the source is not used. */
  readonly problem?: string
  /** What to set, if there is a problem. */
  readonly remedy?: string
}

interface HeadOptions {
  /** Timeout of each source, ms. */
  readonly limit: number
  readonly variables: (upstream: string) => UpstreamVariables
}

const read = (facts: ChainFacts, { chain, host, read, upstream }: SourceHead, { limit, variables }: HeadOptions) =>
  Effect.gen(function* () {
    const found = yield* Effect.either(
      timeoutFail(read, { duration: limit, onTimeout: () => ({ detail: `no response within ${limit / 1000} s` }) })
    )
    const now = yield* Clock.currentTimeMillis
    const source = { network: facts.id, upstream, ...(host === undefined ? {} : { host }) }
    const failed = (problem: string) => {
      const set = remedy(variables(upstream), {}, false)
      return { problem, ...(set === undefined ? {} : { remedy: set }) }
    }
    return Either.match(found, {
      onLeft: ({ detail }): CheckedHead => ({ ...source, ...failed(detail) }),
      onRight: ({ at, height }): CheckedHead => {
        const age = at === undefined ? undefined : Math.round(now / 1000 - Number(at))
        return {
          ...source,
          ...(chain === undefined ? {} : { chain }),
          height: Number(height),
          ...(age === undefined ? {} : { age }),
          ...(age !== undefined && age > toleranceOf(facts) ? failed("is behind the network, and not used") : {})
        }
      }
    })
  })

/** How far each source is behind the highest of its network. A source that lies about its height makes the others late. */
const compared = (heads: ReadonlyArray<CheckedHead>): ReadonlyArray<CheckedHead> => {
  const best = Math.max(...heads.map(({ height = 0 }) => height))
  return heads.map((head) => (head.height === undefined ? head : { ...head, behind: best - head.height }))
}

/** Reads the newest block of every source of these networks. */
export const checkedHeads = (
  networks: ReadonlyArray<Pick<Context.Tag.Service<Chain>, "facts" | "heads">>,
  options: HeadOptions
) =>
  Effect.map(
    Effect.forEach(
      networks,
      ({ facts, heads = [] }) =>
        Effect.map(
          Effect.forEach(heads, (head) => read(facts, head, options), { concurrency: "unbounded" }),
          compared
        ),
      { concurrency: 8 }
    ),
    (all) => all.flat()
  ).pipe(Effect.provideService(CurrentUse, "check"))

const lagOf = ({ age, behind, problem, remedy }: CheckedHead) =>
  [
    ...(behind === undefined ? [] : [behind === 0 ? "the highest" : `${behind} behind`]),
    ...(age === undefined ? [] : [`${age} s old`]),
    ...(problem === undefined ? [] : [problem]),
    ...(remedy === undefined ? [] : [remedy])
  ].join(", ")

/** A line for each source: its network, chain id, height and lag. */
export const headLines = (heads: ReadonlyArray<CheckedHead>): ReadonlyArray<string> => {
  const rows = heads.map((head) => [
    head.network,
    head.upstream,
    head.host ?? "",
    head.chain === undefined ? "" : `chain ${head.chain}`,
    head.height === undefined ? "" : String(head.height),
    lagOf(head)
  ])
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 4 ? cell.padStart(widths[4] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd()
  )
}
