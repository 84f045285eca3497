import * as Effect from "effect/Effect"
import { withoutAddresses } from "../chains/kit/sending/refusals.ts"
import { findingsOf, type NetworkFindings } from "../features/facts/findings.ts"
import { type CheckOptions, onUpstreams, selected } from "./check.ts"
import { print } from "./print.ts"

/** What a chain says, in one line of at most 200 characters: it may be hostile. */
export const chainText = (words: string): string => withoutAddresses(words).trim().slice(0, 200)

const lines = ({ findings, network }: NetworkFindings): ReadonlyArray<string> => {
  const named = (state: boolean | null) => findings.filter(({ holds }) => holds === state)
  const good = named(true).map(({ fact }) => fact)
  return [
    ...named(false).map(
      ({ catalogue, chain, fact }) =>
        `${network}: DIFFERS ${fact}: ${catalogue} in the catalogue, ${chain} on the chain`
    ),
    ...named(null).map(({ chain, fact }) => `${network}: not read: ${fact} (${chain})`),
    ...(good.length === 0 ? [] : [`${network}: holds: ${good.join(", ")}`])
  ]
}

/** Prints how the facts of networks differ from their chains; returns false if one does. */
export const checkFacts = ({ json, limit, network }: Omit<CheckOptions, "strict">) =>
  Effect.gen(function* () {
    const networks = (yield* findingsOf(yield* selected(network), limit)).map(({ findings, network }) => ({
      network,
      findings: findings.map((finding) => ({ ...finding, chain: chainText(finding.chain) }))
    }))
    const isGood = networks.every(({ findings }) => findings.every(({ holds }) => holds !== false))
    yield* print(json ? JSON.stringify({ ok: isGood, networks }, undefined, 2) : networks.flatMap(lines).join("\n"))
    return isGood
  }).pipe(onUpstreams)
