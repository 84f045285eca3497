import { Component, type ComponentChildren, type ComponentType, h } from "preact"
import { useEffect, useState } from "preact/hooks"
import { t } from "../text/language.ts"

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
        {t("partNotLoaded")}
      </p>
    ) : (
      <Skeleton kind="chart" />
    )
  }
}

/** The place of a word or a number that is being loaded. */
export const Pending = () => <span class="skeleton word">.</span>

/** The place of data that is being loaded: never a number, so that it cannot be mistaken for a value. */
export const Skeleton = ({ kind, rows = 1 }: { readonly kind: string; readonly rows?: number }) => (
  <div aria-busy="true">
    <span class="only-read">{t("loading")}</span>
    {Array.from({ length: rows }, (_, index) => (
      <span key={index} class={`skeleton ${kind}`} />
    ))}
  </div>
)

/** A component that is rendered again only when one of its properties changes. */
export const memo = <P extends object>(draw: (properties: P) => ComponentChildren): ComponentType<P> =>
  class extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>) {
      return (Object.keys(next) as Array<keyof P>).some((name) => next[name] !== (this.props as P)[name])
    }
    override render() {
      return h(draw as never, this.props as never)
    }
  }
