/**
 * What a function returns for this, or what `otherwise` makes of what it throws. `Either.try` says the same with an object and
 * three closures more, which counts where it is done several times for each request.
 */
export const caught = <I, A, B>(code: (input: I) => A, input: I, otherwise: (thrown: unknown) => B): A | B => {
  try {
    return code(input)
  } catch (thrown) {
    return otherwise(thrown)
  }
}

/** The value of a text; undefined for what is not JSON. */
export const parsedJson = (text: string): unknown => caught(JSON.parse, text, () => undefined)
