/** A function that makes nothing anew for the argument of the call before: for arguments that mostly come in runs of the same. */
export const ofLast = <A extends number | string, B>(make: (argument: A) => B): ((argument: A) => B) => {
  let last: { readonly argument: A; readonly made: B } | undefined
  return (argument) => {
    if (argument !== last?.argument) last = { argument, made: make(argument) }
    return last.made
  }
}
