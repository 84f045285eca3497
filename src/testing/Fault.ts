import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { closest } from "../kernel/text/closest.ts"

/** How an upstream fails. */
export type Fault =
  /** Accepts the request and never responds. */
  | "hang"
  /** Breaks the connection. */
  | "reset"
  /** Cuts the body off in the middle. */
  | "truncated"
  /** Returns status 200 with an HTML page. */
  | "html"
  /** Responds as usual, after this delay. */
  | { readonly slow: Duration.DurationInput }
  /** Responds to a JSON-RPC batch in another order. */
  | "reordered"
  /**
   * Refuses every request as rate limited, as its provider does: by the status and the headers, or with a body that
   * says so. If the provider has a single form, both are that form.
   */
  | { readonly limited: "body" | "header" }
  /** Returns this status and an empty body. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }

const unknown = (name: string, known: ReadonlyArray<string>): string | undefined => {
  if (known.includes(name)) return undefined
  const meant = closest(name, known)
  const all = known.map((kind) => JSON.stringify(kind)).join(", ")
  return `there is no fault ${JSON.stringify(name)}; ${meant === undefined ? `the faults are ${all}` : `did you mean "${meant}"?`}`
}

/** Names the mistake in a value that is not a fault. Tests in JavaScript, or with casts, may pass any value. */
export const problemOf = (kind: Fault): string | undefined => {
  if (typeof kind === "string") return unknown(kind, ["hang", "reset", "truncated", "html", "reordered"])
  const members: Readonly<Record<string, unknown>> = Object(kind)
  const [form = "", other] = Object.keys(members).filter((name) => name !== "headers" || !("status" in members))
  if (other !== undefined) return `one fault cannot be both ${JSON.stringify(form)} and ${JSON.stringify(other)}`
  const { limited, slow, status } = members
  switch (form) {
    case "limited":
      return unknown(String(limited), ["body", "header"])
    case "slow":
      return Option.isSome(Duration.decodeUnknown(slow)) ? undefined : `${JSON.stringify(slow)} is no duration`
    case "status":
      return Number.isInteger(status) && Number(status) >= 200 && Number(status) < 600
        ? undefined
        : `${JSON.stringify(status)} is no status from 200 to 599`
    default:
      return unknown(form, ["slow", "limited", "status"])
  }
}
