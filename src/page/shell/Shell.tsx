import type { ComponentChildren, RefObject } from "preact"
import { announcement } from "../state/announcement.ts"
import { fragmentOf, type ViewName } from "../state/route.ts"
import { service } from "../state/service.ts"
import { useStore } from "../state/store.ts"
import { views } from "../views.tsx"
import { CurrencyChoice } from "./CurrencyChoice.tsx"
import { ThemeChoice } from "./ThemeChoice.tsx"

interface ShellProps {
  readonly view: ViewName
  readonly main: RefObject<HTMLElement | null>
  readonly children: ComponentChildren
}

const Navigation = ({ view }: Pick<ShellProps, "view">) => (
  <nav aria-label="Views">
    <ul>
      {views.map(({ name, title }) => (
        <li key={name}>
          <a href={fragmentOf({ view: name, items: [] })} aria-current={name === view ? "page" : undefined}>
            {title}
          </a>
        </li>
      ))}
      <li>
        <a href="/docs">API reference</a>
      </li>
    </ul>
  </nav>
)

/** The frame of every view: header with navigation, the content, and what is announced to screen readers. */
export const Shell = ({ children, main, view }: ShellProps) => {
  const { isSimulated } = useStore(service)
  const text = useStore(announcement)
  return (
    <>
      {/* No link: the fragment of the address belongs to the routes. */}
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <header class="site">
        <a class="name" href="#/">
          wallet-data
        </a>
        <Navigation view={view} />
        <div class="settings">
          <CurrencyChoice />
          <ThemeChoice />
        </div>
        {isSimulated && (
          <p class="simulated" role="note">
            Simulated: this service runs in its sandbox. No balance and no price here is real.
          </p>
        )}
      </header>
      <main ref={main} tabIndex={-1}>
        {children}
      </main>
      <p class="only-read" role="status" aria-live="polite">
        {text}
      </p>
    </>
  )
}
