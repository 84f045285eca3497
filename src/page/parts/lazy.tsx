import { type ComponentType, h } from "preact"
import { useEffect, useState } from "preact/hooks"

/** A component whose code is loaded when it is first rendered. */
export const lazy = <P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> => {
  let loaded: ComponentType<P> | undefined
  return (properties) => {
    const [component, setComponent] = useState(() => loaded)
    const [isBroken, setIsBroken] = useState(false)
    useEffect(() => {
      if (loaded !== undefined) return
      load()
        .then((found) => {
          loaded = found
          setComponent(() => found)
        })
        .catch(() => setIsBroken(true))
    }, [])
    if (component !== undefined) return h(component as never, properties as never)
    return isBroken ? (
      // Browsers do not retry a failed import of the same file.
      <p role="alert" class="problem">
        This part of the page could not be loaded: reload the page.
      </p>
    ) : (
      <p>Loading …</p>
    )
  }
}
