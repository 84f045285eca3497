import type { UpstreamError } from "../upstream/UpstreamError.ts"

/** The result of `record` for one upstream. */
export interface Verdict {
  readonly name: string
  readonly kind: "fits" | "misfit" | "unreachable"
  readonly text: string
}

interface Finding {
  ok: number
  /** Responses that do not fit, and other failures: query and detail, without duplicates. */
  readonly misfits: Set<string>
  readonly failures: Set<string>
}

export type Findings = ReturnType<typeof make>

/** Collects the outcomes of reads and derives a verdict per upstream. Texts contain no keys or paths of addresses. */
export const make = () => {
  const found = new Map<string, Finding>()

  const add = (upstream: string, query: string, error: UpstreamError | undefined): void => {
    const finding = found.get(upstream) ?? { ok: 0, misfits: new Set(), failures: new Set() }
    found.set(upstream, finding)
    if (error === undefined) finding.ok++
    else (error.reason === "bad_answer" ? finding.misfits : finding.failures).add(`${query}: ${error.detail}`)
  }

  const verdict = (name: string): Verdict => {
    const { failures, misfits, ok } = found.get(name) ?? { ok: 0, misfits: new Set(), failures: new Set() }
    const others = [...failures].join("; ")
    if (misfits.size > 0) return { name, kind: "misfit", text: `does not fit: ${[...misfits, ...failures].join("; ")}` }
    if (ok > 0) return { name, kind: "fits", text: others === "" ? "fits" : `fits, but some calls failed: ${others}` }
    return { name, kind: "unreachable", text: `unreachable: ${others === "" ? "no call was sent in time" : others}` }
  }

  return { add, verdicts: (names: ReadonlyArray<string>) => names.map(verdict) }
}
