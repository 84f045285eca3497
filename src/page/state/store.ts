import { useEffect, useState } from "preact/hooks"

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

/** The current value of a store. Renders the component again when it changes. */
export const useStore = <A>(store: Store<A>): A => {
  const [value, setValue] = useState(() => store.get())
  useEffect(() => {
    const update = () => setValue(() => store.get())
    update()
    return store.subscribe(update)
  }, [store])
  return value
}
