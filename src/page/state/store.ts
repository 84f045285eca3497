import { useEffect, useState } from "preact/hooks"

/** A value that several components show and that changes. */
export interface Store<A> {
  readonly get: () => A
  readonly set: (value: A) => void
  /** Calls back after every change; the result ends that. */
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

/** The current value of a store; the component is rendered again when it changes. */
export const useStore = <A>(store: Store<A>): A => {
  const [value, setValue] = useState(() => store.get())
  useEffect(() => {
    const update = () => setValue(() => store.get())
    update()
    return store.subscribe(update)
  }, [store])
  return value
}
