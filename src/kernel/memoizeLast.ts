/** Memoizes a function for its last argument only: for arguments that are mostly equal to the previous argument. */
export const memoizeLast = <A extends number | string, B>(make: (argument: A) => B): ((argument: A) => B) => {
  let last: { readonly argument: A; readonly made: B } | undefined
  return (argument) => {
    if (argument !== last?.argument) last = { argument, made: make(argument) }
    return last.made
  }
}
