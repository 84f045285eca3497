import * as Option from "effect/Option"

const policyLength = 56

/**
 * The unit of a native asset: the policy's hash and the asset's name in hexadecimal digits, in lower case. Some write a
 * full stop between both. The name may be empty.
 */
export const parse = (text: string): Option.Option<string> =>
  /^[0-9a-f]{56}(\.?([0-9a-f]{2}){1,32})?$/i.test(text)
    ? Option.some(text.replace(".", "").toLowerCase())
    : Option.none()

export const policyOf = (unit: string): string => unit.slice(0, policyLength)
export const nameOf = (unit: string): string => unit.slice(policyLength)
