import type { RepeatedLog } from "../RequestLog.ts"

/** A response that differs from request to request in its id alone: everything else of it is made once. */
export interface HotResponse {
  readonly status: number
  /** Complete but for `x-request-id`, which is set for each response: a Response has a copy of its own. */
  readonly headers: Headers
  /** A Blob is sent as it is, where a Uint8Array would be copied for each response. */
  readonly body: Blob
  /** Which fields every response has; those of another state of the service are other ones. */
  readonly common: object
  /** Counts and logs that it was sent again. */
  readonly ended: RepeatedLog
}

/** The hot responses of one response, by target and by the text of `accept-encoding`. */
export interface HotResponses {
  readonly get: (target: string, accepted: string) => HotResponse | undefined
  readonly set: (target: string, accepted: string, response: HotResponse) => void
}

/** Clients send few different values; longer and further ones are answered as well, but not remembered. */
const maxForms = 16
const maxAccepted = 100

export const make = (): HotResponses => {
  const byTarget = new Map<string, Map<string, HotResponse>>()
  let count = 0
  return {
    get: (target, accepted) => byTarget.get(target)?.get(accepted),
    set: (target, accepted, response) => {
      if (accepted.length > maxAccepted) return
      const forms = byTarget.get(target) ?? new Map<string, HotResponse>()
      if (!forms.has(accepted) && ++count > maxForms) return
      byTarget.set(target, forms.set(accepted, response))
    }
  }
}
