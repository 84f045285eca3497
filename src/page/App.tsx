import { useEffect, useRef } from "preact/hooks"
import { Requests } from "./parts/Requests.tsx"
import { KeyPrompt } from "./shell/KeyPrompt.tsx"
import { Shell } from "./shell/Shell.tsx"
import { currentRoute } from "./state/navigation.ts"
import { session } from "./state/session.ts"
import { useStore } from "./state/store.ts"
import { views } from "./views.tsx"

/** The view of the current route in the frame that all views share. */
export const App = () => {
  const { items, view: name } = useStore(currentRoute)
  const { key } = useStore(session)
  const view = views.find((candidate) => candidate.name === name)
  const title = view?.title ?? "Not found"
  const main = useRef<HTMLElement>(null)
  const shown = useRef(name)

  useEffect(() => {
    document.title = `${title} · wallet-data`
    // As after the load of a new page: a screen reader goes on at the new view.
    if (shown.current !== name) main.current?.focus()
    shown.current = name
  }, [name, title])

  return (
    <Shell view={name} main={main}>
      {key !== "fine" && <KeyPrompt isRefused={key === "refused"} />}
      {view === undefined ? (
        <p>
          There is no such view. <a href="#/">Go to the portfolio.</a>
        </p>
      ) : (
        <view.component items={items} />
      )}
      <Requests />
    </Shell>
  )
}
