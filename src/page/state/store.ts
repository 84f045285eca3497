/** A mutable value that several components show. */
export interface Store<A> {
  readonly get: () => A
  readonly set: (value: A) => void
  /** Calls `changed` after every change. Returns a function that unsubscribes. */
  readonly subscribe: (changed: () => void) => () => void
}

export const makeStore = <A>(initial: A): Store<A> => {
  let current = initial
  const subscribers = new Set<() => void>()
  return {
    get: () => current,
    set: (value) => {
      current = value
      for (const changed of [...subscribers]) changed()
    },
    subscribe: (changed) => {
      subscribers.add(changed)
      return () => {
        subscribers.delete(changed)
      }
    }
  }
}
