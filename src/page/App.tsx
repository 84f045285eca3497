import type { ComponentChildren, RefObject } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { later } from "./later.ts"
import { Icon } from "./parts/Icon.tsx"
import { lazy } from "./parts/lazy.tsx"
import { currentAddresses, currentRoute, goTo, linkTo } from "./state/navigation.ts"
import { announcement, closeNotice, namesIn, notices, textOfNotice } from "./state/notices.ts"
import { isOnline } from "./state/pulse.ts"
import { confirm, type RefusedText, refusal } from "./state/refusal.ts"
import type { Route, ViewName } from "./state/route.ts"
import { isHash } from "./state/secrets.ts"
import { service } from "./state/service.ts"
import { calls, session } from "./state/session.ts"
import { useStore } from "./state/useStore.ts"
import { t } from "./text/language.ts"
import { views } from "./views.tsx"

/** Currency, theme and language, in a panel that a button of the header opens. Its code is loaded when it is opened. */
const Settings = () => {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button type="button" class="quiet settings-button" popovertarget="settings">
        <Icon name="settings" /> {t("settings")}
      </button>
      <div
        id="settings"
        class="settings"
        popover="auto"
        role="dialog"
        aria-label={t("settings")}
        onToggle={() => setIsOpen(true)}
      >
        {isOpen && <Choosers />}
      </div>
    </>
  )
}

interface ShellProps {
  readonly view: ViewName
  readonly main: RefObject<HTMLElement | null>
  readonly children: ComponentChildren
}

const Navigation = ({ view }: Pick<ShellProps, "view">) => {
  // The links keep the current addresses.
  useStore(currentAddresses)
  return (
    <nav class="tabs" aria-label={t("views")}>
      <ul>
        {views.map(
          ({ name, title }) =>
            title !== "transaction" && (
              <li key={name}>
                <a href={linkTo(name)} aria-current={name === view ? "page" : undefined}>
                  <Icon name={title} />
                  {t(title)}
                </a>
              </li>
            )
        )}
      </ul>
    </nav>
  )
}

/** Says that a text was refused because it is a secret, or may be one. */
const Refusal = ({ of }: { readonly of: RefusedText }) => {
  const open = (route: Route) => {
    confirm(route)
    goTo(route)
  }
  return (
    <li>
      <Icon name="alert" />
      <span role="alert">{t(of.kind)}</span>
      {of.kind === "hash" && (
        <>
          <button type="button" onClick={() => open({ view: "tx", items: of.route.items.filter(isHash).slice(0, 1) })}>
            {t("hashIsTransaction")}
          </button>
          <button
            type="button"
            onClick={() => open(of.route.view === "tx" ? { ...of.route, view: "portfolio" } : of.route)}
          >
            {t("hashIsAddress")}
          </button>
        </>
      )}
      <button type="button" class="plain" aria-label={t("closeRefusal")} onClick={() => refusal.set(undefined)}>
        <Icon name="close" />
      </button>
    </li>
  )
}

/** Says that the browser is offline, that a secret was refused, and which networks have failed or recovered. */
const Notices = () => {
  const shown = useStore(notices)
  const online = useStore(isOnline)
  const refused = useStore(refusal)
  if (online && shown.length === 0 && refused === undefined) return null
  return (
    <aside class="notices" aria-label={t("notices")}>
      <ul>
        {refused !== undefined && <Refusal of={refused} />}
        {!online && (
          <li>
            <Icon name="alert" />
            <span role="alert">{t("offline")}</span>
          </li>
        )}
        {shown.map((notice) => (
          <li key={String(notice.isFailing)} class={notice.isFailing ? "" : "back"}>
            <Icon name={notice.isFailing ? "alert" : "done"} /> {textOfNotice(notice)}
            <button
              type="button"
              class="plain"
              aria-label={t("closeNotice", { network: namesIn(notice) })}
              onClick={() => closeNotice(notice)}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
    </aside>
  )
}

/** The logo of the page, in the colours of the theme. */
const Logo = () => (
  <svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true">
    <rect fill="#2346c8" width="32" height="32" rx="8" />
    <g fill="none" stroke-width="4.5">
      <path stroke="#ffffff" d="M16 7.5a8.5 8.5 0 1 0 8.5 8.5" />
      <path stroke="#6fe0c8" d="M19.2 4.9a8.5 8.5 0 0 1 7.9 7.9" />
    </g>
  </svg>
)

/** The frame of every view: header with navigation, content, and announcements for screen readers. */
const Shell = ({ children, main, view }: ShellProps) => {
  const { isSimulated } = useStore(service)
  const text = useStore(announcement)
  return (
    <>
      {/* No link: the fragment of the address belongs to the routes. */}
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        {t("skip")}
      </button>
      <header class="site">
        <a class="name" href="#/">
          <Logo /> wallet-data
        </a>
        <Navigation view={view} />
        <Settings />
      </header>
      {isSimulated && (
        <aside class="simulated" aria-label={t("sandbox")}>
          {t("simulated")}
        </aside>
      )}
      <Notices />
      <main ref={main} tabIndex={-1}>
        {children}
      </main>
      <p class="only-read" role="status" aria-live="polite">
        {text}
      </p>
    </>
  )
}

const Choosers = lazy(() => later().then(({ Choosers: found }) => found))
const KeyPrompt = lazy(() => later().then(({ KeyPrompt: found }) => found))
const Requests = lazy(() => later().then(({ Requests: found }) => found))

/** The requests behind the view; their code is loaded when they are opened. */
const OpenedRequests = () => {
  const { size } = useStore(calls)
  const [isOpen, setIsOpen] = useState(false)
  if (size === 0) return null
  return (
    <details class="requests" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{t("requests", { count: size })}</summary>
      {isOpen && <Requests />}
    </details>
  )
}

/** The view of the current route, in the frame of all views. */
export const App = () => {
  const { items, view: name } = useStore(currentRoute)
  const { key } = useStore(session)
  const view = views.find((candidate) => candidate.name === name)
  const title = view === undefined ? "" : t(view.title)
  const main = useRef<HTMLElement>(null)
  const shown = useRef(name)

  useEffect(() => {
    document.title = `${title} · wallet-data`
    // As after a page load: a screen reader continues at the new view.
    if (shown.current !== name) {
      main.current?.focus({ preventScroll: true })
      scrollTo(0, 0)
    }
    shown.current = name
  }, [name, title])

  return (
    <Shell view={name} main={main}>
      <div class="view">
        {key !== "fine" ? <KeyPrompt isRefused={key === "refused"} /> : view && <view.component items={items} />}
      </div>
      <OpenedRequests />
    </Shell>
  )
}
