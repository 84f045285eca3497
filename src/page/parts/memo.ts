import { Component, type ComponentChildren, type ComponentType, h } from "preact"

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
