import type { ComponentChildren, RefObject } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { CodeText, type CodeTextProps } from "./parts/CodeText.tsx"
import { announcement } from "./state/announcement.ts"
import { calls } from "./state/calls.ts"
import { currencies } from "./state/currencies.ts"
import { currentRoute } from "./state/navigation.ts"
import { chooseCurrency, preferences } from "./state/preferences.ts"
import type { RecordedCall } from "./state/recording.ts"
import { fragmentOf, type ViewName } from "./state/route.ts"
import { service } from "./state/service.ts"
import { clientOptions, enterKey, session } from "./state/session.ts"
import { useStore } from "./state/store.ts"
import { chooseTheme, theme, themes } from "./state/theme.ts"
import { count } from "./text/format.ts"
import { problemOf } from "./text/reasons.ts"
import { codeOf, curlOf, type HttpRequest, jsonOf, requestOf } from "./text/request.ts"
import { views } from "./views.tsx"

/** Selects the currency of all values. Currencies without a current rate are disabled. */
const CurrencyChoice = () => {
  const known = useStore(currencies)
  const { currency } = useStore(preferences)
  const isListed = known.some((rate) => rate.currency.toUpperCase() === currency)
  return (
    <div>
      <label for="currency">Currency</label>{" "}
      <select id="currency" value={currency} onChange={({ currentTarget }) => chooseCurrency(currentTarget.value)}>
        {!isListed && <option value={currency}>{currency}</option>}
        {known.map((rate) => (
          <option key={rate.currency} value={rate.currency.toUpperCase()} disabled={rate.perUsd === null}>
            {rate.currency.toUpperCase()} – {rate.name}
            {rate.perUsd === null ? " (no current rate)" : ""}
          </option>
        ))}
      </select>
    </div>
  )
}

const names = { system: "System", light: "Light", dark: "Dark" } as const

/** Selects the theme: that of the device, light or dark. */
const ThemeChoice = () => (
  <div>
    <label for="theme">Theme</label>{" "}
    <select id="theme" value={useStore(theme)} onChange={({ currentTarget }) => chooseTheme(currentTarget.value)}>
      {themes.map((name) => (
        <option key={name} value={name}>
          {names[name]}
        </option>
      ))}
    </select>
  </div>
)

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

/** The frame of every view: header with navigation, content, and announcements for screen readers. */
const Shell = ({ children, main, view }: ShellProps) => {
  const { isSimulated } = useStore(service)
  const text = useStore(announcement)
  return (
    <>
      {/* No link: the fragment of the address belongs to the routes. */}
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
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
            Simulated: this service runs in sandbox mode. No balance or price is real.
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

/** Prompts for the API key of a service that requires a key. */
const KeyPrompt = ({ isRefused }: { readonly isRefused: boolean }) => {
  const [key, setKey] = useState("")
  const submit = (event: Event) => {
    event.preventDefault()
    if (key.trim() !== "") enterKey(key.trim())
  }
  return (
    <form class="panel key" onSubmit={submit}>
      <h2>This service needs an API key</h2>
      <p role="alert">
        {isRefused
          ? "The service does not accept this key."
          : "The operator requires API keys. Enter your key: it is stored in this tab only and sent to this service only."}
      </p>
      <div class="line">
        <label for="api-key">API key</label>
        <input
          id="api-key"
          type="password"
          autocomplete="off"
          value={key}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
        />
        <button type="submit" class="primary">
          Use this key
        </button>
      </div>
    </form>
  )
}

const answerOf = ({ answer }: RecordedCall): CodeTextProps => {
  if (answer.state === "waiting") return { title: "Answer", text: "There is no answer yet." }
  if (answer.state === "failed") return { title: "Answer", text: problemOf(answer.error) }
  const { data, values } = answer
  const shown = Array.isArray(data) ? data.length : 0
  const part = values !== undefined && values > shown ? `, the first ${count(shown)} of ${count(values)} values` : ""
  return { title: `Answer as JSON${part}`, text: jsonOf(data) }
}

const Texts = ({ call }: { readonly call: RecordedCall }) => {
  const { isKeyed } = useStore(session)
  const [request, setRequest] = useState<HttpRequest>()
  const { origin } = location
  useEffect(() => {
    let isCurrent = true
    void requestOf(call, { ...clientOptions, baseUrl: origin }).then((made) => {
      if (isCurrent) setRequest(made)
    })
    return () => {
      isCurrent = false
    }
  }, [call.args])
  return (
    <div class="texts">
      <div>
        {request !== undefined && <CodeText title="curl" text={curlOf(request, isKeyed)} />}
        <CodeText title="Client" text={codeOf(call, origin, isKeyed)} />
      </div>
      <CodeText {...answerOf(call)} />
    </div>
  )
}

/** Renders its content when it is opened. */
const Request = ({ call, name }: { readonly call: RecordedCall; readonly name: string }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        Request: <span class="code">{name}</span>
      </summary>
      {isOpen && <Texts call={call} />}
    </details>
  )
}

/** The requests behind the data above: each as curl and as client code, with its response. */
const Requests = () => {
  const known = useStore(calls)
  if (known.size === 0) return null
  return (
    <section class="requests" aria-label="Requests">
      <h2>Try it</h2>
      <p class="help">The data above comes from the answers to these requests.</p>
      {[...known].map(([name, call]) => (
        <Request key={name} name={name} call={call} />
      ))}
    </section>
  )
}

/** The view of the current route, in the frame of all views. */
export const App = () => {
  const { items, view: name } = useStore(currentRoute)
  const { key } = useStore(session)
  const view = views.find((candidate) => candidate.name === name)
  const title = view?.title ?? "Not found"
  const main = useRef<HTMLElement>(null)
  const shown = useRef(name)

  useEffect(() => {
    document.title = `${title} · wallet-data`
    // As after a page load: a screen reader continues at the new view.
    if (shown.current !== name) main.current?.focus()
    shown.current = name
  }, [name, title])

  return (
    <Shell view={name} main={main}>
      {key !== "fine" && <KeyPrompt isRefused={key === "refused"} />}
      {view === undefined ? (
        <p>
          This view does not exist. <a href="#/">Go to the portfolio.</a>
        </p>
      ) : (
        <view.component items={items} />
      )}
      <Requests />
    </Shell>
  )
}
