/** The two programs that try the service from outside: statements about it, and reported faults. */
export type Runner = "checks" | "cases"

/** A statement or case that fails today. */
export interface KnownFailure {
  readonly reason: string
  /** The end of each line of this id: the response and its place. Another fault has another line. */
  readonly shows: string
}

/** The file test/known.json: failures by topic and id. */
export type Known = Readonly<
  Record<Runner, Readonly<Record<string, Readonly<Record<string, KnownFailure>>>>> & {
    "wrong-check": Readonly<Record<Runner, Readonly<Record<string, string>>>>
  }
>

export interface Run {
  readonly code: number | null
  readonly output: string
  /** Ids of all statements or cases of this run; `…` stands for parts that are known only during a run. */
  readonly ids: ReadonlyArray<string>
  /** The names that selected them; empty if everything ran. */
  readonly names: ReadonlyArray<string>
  /** Whether each statement must be tried, also those that need a program. */
  readonly needsAll?: boolean
}

const forms: Readonly<
  Record<Runner, { readonly failed: RegExp; readonly passed?: RegExp; readonly untried?: RegExp }>
> = {
  checks: { failed: /^(\S+): .*\. Seen: /, untried: /^not tried, [\w-]+: / },
  cases: { failed: /^WRONG (\S+): expected /, passed: /^ok (\S+)$/ }
}

const closing = /^(\d+) passed, (\d+) failed$/

const idsOf = (lines: ReadonlyArray<string>, form: RegExp | undefined) =>
  form === undefined ? [] : lines.flatMap((line) => form.exec(line)?.[1] ?? [])

/** The ids in the output of `--list`: statements, and the parts of each topic, which must run to their end. */
export const listedIds = (output: string): ReadonlyArray<string> => [
  ...[...output.matchAll(/^ {2}(\S+) {2}/gm)].map(([, id = ""]) => id),
  ...[...output.matchAll(/^([\w-]+): /gm)].map(([, topic]) => `${topic}-…`)
]

interface Judgement {
  /** Failures that are not listed, or not with this fault. */
  readonly unlisted: ReadonlyArray<string>
  /** All failures. */
  readonly failing: ReadonlySet<string>
  /** Why the run does not count otherwise: it is not complete, or a listed failure does not fail. */
  readonly problems: ReadonlyArray<string>
}

/** Compares the verdicts of a run with the list of known failures. */
export const judge = (runner: Runner, { code, ids, names, needsAll = false, output }: Run, known: Known): Judgement => {
  const lines = output.trimEnd().split("\n")
  const [, passed, failed] = closing.exec(lines.pop() ?? "") ?? []
  if (failed === undefined)
    return {
      unlisted: [],
      failing: new Set(),
      problems: [`ended with status ${code}, without "N passed, N failed" as the last line`]
    }

  const form = forms[runner]
  const failing = idsOf(lines, form.failed)
  const passing = idsOf(lines, form.passed)
  const untried = lines.filter((line) => form.untried?.test(line))
  const wrong = Object.keys(known["wrong-check"][runner])
  const faults = new Map(Object.values(known[runner]).flatMap((failures) => Object.entries(failures)))
  const listed = [...faults.keys()]
  /** Whether a failing statement or case has its listed fault only. */
  const isKnown = (id: string) => {
    const { shows } = faults.get(id) ?? {}
    return lines.every((line) => form.failed.exec(line)?.[1] !== id || (shows !== undefined && line.endsWith(shows)))
  }

  const exists = (id: string) =>
    failing.includes(id) ||
    ids.some((other) => id === other || (other.includes("…") && id.startsWith(other.slice(0, other.indexOf("…")))))
  const ran = (id: string) => exists(id) && (names.length === 0 || names.some((name) => id.startsWith(name)))
  const unreadable = lines.filter((line) => !Object.values(form).some((verdict) => verdict.test(line)))
  const verdicts = [...passing, ...failing]
  const problems = [
    ...unreadable.map((line) => `printed a line that is not a verdict: ${line}`),
    ...(Number(failed) === failing.length ? [] : [`counted ${failed} failures and printed ${failing.length}`]),
    ...(code === (failing.length === 0 ? 0 : 1) ? [] : [`ended with status ${code} after ${failing.length} failures`]),
    ...(form.passed === undefined || Number(passed) === passing.length
      ? []
      : [`counted ${passed} passed and printed ${passing.length}`]),
    ...(form.passed === undefined
      ? []
      : ids.filter((id) => !verdicts.includes(id)).map((id) => `${id} has no verdict`)),
    // A statement that a missing program prevents neither passes nor fails.
    ...listed
      .filter((id) => untried.length === 0 && ran(id) && !failing.includes(id))
      .map((id) => `${id} passes: remove it from test/known.json`),
    ...[...listed, ...wrong]
      .filter((id) => names.length === 0 && !exists(id))
      .map((id) => `${id} of test/known.json does not exist`)
  ]
  const [tried, listedNow] = [Number(passed) + Number(failed), ids.filter((id) => !id.includes("…")).length]
  if (form.untried !== undefined && untried.length === 0 && tried < listedNow)
    problems.push(`printed ${tried} verdicts for ${listedNow} statements`)
  if (needsAll) problems.push(...untried.map((line) => `did not try all: ${line}`))
  const unlisted = [...new Set(failing)].filter((id) => !isKnown(id) && !wrong.includes(id))
  return { unlisted, failing: new Set(failing), problems }
}
