import * as Effect from "effect/Effect"

const longest = 3600

/** The number of seconds that an option gives, as milliseconds; fails with what is allowed. */
export const milliseconds = (
  option: string,
  given: string | true | undefined,
  otherwise: number
): Effect.Effect<number, string> => {
  if (given === undefined) return Effect.succeed(otherwise * 1000)
  const seconds = Number(given)
  return /^\d+(\.\d+)?$/.test(String(given)) && seconds > 0 && seconds <= longest
    ? Effect.succeed(seconds * 1000)
    : Effect.fail(`--${option}: "${given}" is not allowed; allowed: seconds, above 0 and up to ${longest}`)
}
