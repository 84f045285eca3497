import { useEffect, useState } from "preact/hooks"
import type { Store } from "./store.ts"

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
