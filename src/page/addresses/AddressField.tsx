import { useEffect, useRef, useState } from "preact/hooks"
import type { NamedCoin } from "../coin/candleCoins.ts"
import { Icon } from "../parts/Icon.tsx"
import { currentRoute, goTo } from "../state/navigation.ts"
import { isSendable, refusal, refuseSecret } from "../state/refusal.ts"
import { fragmentOf, type ViewName } from "../state/route.ts"
import { isHash, isSecret, isSigned, isWord } from "../state/secrets.ts"
import { networkName, service } from "../state/service.ts"
import { promptForKey, session } from "../state/session.ts"
import { useStore } from "../state/useStore.ts"
import { sanitized, shortened } from "../text/format.ts"
import { t } from "../text/language.ts"
import { addressTexts, type Lookup, makeLookups, maxTexts } from "./accounts.ts"
import { coinOf } from "./coins.ts"
import { isComplete, pastedOf, unwrapped } from "./pasted.ts"
import { openTransaction } from "./transactions.ts"
import { unfitText } from "./unfit.ts"

/** Chips that are shown; further addresses are counted. */
const maxChips = 12

/** A text that is being typed is recognised after this time without a change, ms. */
const settledAfter = 300

/** A link to a coin that a text names. */
const CoinLink = ({ coin: { id, name } }: { readonly coin: NamedCoin }) => (
  <a href={fragmentOf({ view: "coin", items: [id] })}>{t("openCoin", { name })}</a>
)

interface RecognisedProps {
  readonly text: string
  readonly lookup: Lookup | undefined
}

/** The recognition of a text, in a few words. */
const Recognised = ({ lookup, text }: RecognisedProps) => {
  const known = useStore(service)
  if (isHash(text) && !isSendable(text)) return <span>{t("hexDigits")}</span>
  const coin = coinOf(text)
  if (coin !== undefined) return <CoinLink coin={coin} />
  if (pastedOf(text).kind !== "address") return <span>{unfitText(text)}</span>
  if (lookup === undefined || lookup.state === "waiting") return <span class="label">{t("looking")}</span>
  if (lookup.state === "failed") return <span class="missing">{lookup.problem}</span>
  const [first, ...others] = lookup.matches
  if (first === undefined) return <span>{t("notRecognised")}</span>
  const name = networkName(known, first.network)
  return (
    <span class="label">
      {others.length === 0 ? name : t("andOthers", { name, count: others.length })}
      {first.kind === "xpub" && `, ${t("kindXpub")}`}
      {first.kind === "stake" && `, ${t("kindStake")}`}
    </span>
  )
}

/** Whether an entered text is looked up. */
const isLookedUp = (text: string) => pastedOf(text).kind === "address" && coinOf(text) === undefined

/** The recognition of each text, read again for new texts only, and a function that waits for those of some texts. */
const useLookups = (texts: ReadonlyArray<string>) => {
  const { client } = useStore(session)
  const [known, setKnown] = useState<ReadonlyMap<string, Lookup>>(new Map())
  const name = texts.join(" ")
  const read = async (some: ReadonlyArray<string>, signal: AbortSignal): Promise<ReadonlyMap<string, Lookup>> => {
    const missing = some.filter((text) => isLookedUp(text) && known.get(text)?.state !== "found")
    const lookups = makeLookups(client, missing, signal, promptForKey(client))
    const all = () => new Map([...known, ...lookups.all().map((lookup) => [lookup.text, lookup] as const)])
    await lookups.lookUp(missing, () => {
      if (!signal.aborted) setKnown((before) => new Map([...before, ...all()]))
    })
    return all()
  }
  useEffect(() => {
    const controller = new AbortController()
    void read(texts, controller.signal)
    return () => controller.abort()
  }, [client, name])
  return { known, read }
}

interface ChipsProps {
  readonly texts: ReadonlyArray<string>
  readonly lookups: ReadonlyMap<string, Lookup>
  readonly remove: (text: string) => void
}

const Chips = ({ lookups, remove, texts }: ChipsProps) => {
  const shown = texts.slice(0, maxChips)
  if (texts.length === 0) return null
  return (
    <ul class="chips">
      {shown.map((text) => {
        const lookup = lookups.get(text)
        const isUnknown =
          (lookup?.state === "found" && lookup.matches.length === 0) || pastedOf(text).kind !== "address"
        return (
          <li key={text} class={isUnknown ? "chip unknown" : "chip"}>
            <bdi class="code">{shortened(text)}</bdi>
            <Recognised text={text} lookup={lookup} />
            <button
              type="button"
              class="plain"
              aria-label={t("removeAddress", { address: shortened(text) })}
              onClick={() => remove(text)}
            >
              <Icon name="close" />
            </button>
          </li>
        )
      })}
      {texts.length > maxChips && <li class="chip">{t("andMore", { count: texts.length - maxChips })}</li>}
    </ul>
  )
}

interface FieldProps {
  /** The addresses of the route; other addresses need a new field. */
  readonly items: ReadonlyArray<string>
  readonly view: ViewName
  /** Called when the addresses become the route. */
  readonly close?: (() => void) | undefined
}

/** The text that is being typed, once nothing was typed for a moment. */
const useSettled = (text: string): string => {
  const [settled, setSettled] = useState("")
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), settledAfter)
    return () => clearTimeout(timer)
  }, [text])
  return text === "" ? "" : settled
}

/** Why none of the texts can be shown; undefined if one of them can, or if a lookup failed. */
const unfitReason = (texts: ReadonlyArray<string>, lookups: ReadonlyMap<string, Lookup>): string | undefined => {
  const reasons = texts.flatMap((text) => {
    const lookup = lookups.get(text)
    const isUnfit = !isLookedUp(text) || (lookup?.state === "found" && lookup.matches.length === 0)
    const reason = lookup?.state === "found" ? lookup.reason : undefined
    return isUnfit ? [`${shortened(text)}: ${unfitText(text, reason)}`] : []
  })
  return reasons.length < texts.length ? undefined : reasons[0]
}

/** Entered texts as chips, their recognition, and the problem of the last submission. */
const useEntries = ({ close, items, view }: FieldProps) => {
  const [texts, setTexts] = useState(items)
  const [text, setText] = useState("")
  const [problem, setProblem] = useState<string>()
  const settled = useSettled(text)
  const typed = unwrapped(settled.trim())
  const { known, read } = useLookups([...texts.slice(0, maxChips), ...(isComplete(typed) ? [typed] : [])])
  const add = (more: string) => [...new Set([...texts, ...addressTexts(more).map(unwrapped)])]
  const open = (all: ReadonlyArray<string>) => {
    setTexts(isSecret(all.join(" ")) ? texts.filter((other) => !isWord(other)) : all)
    setText("")
    if (goTo({ view, items: all })) close?.()
  }
  return {
    texts,
    text,
    typed,
    problem,
    lookups: known,
    remove: (removed: string) => {
      setProblem(undefined)
      setTexts(texts.filter((other) => other !== removed))
    },
    /** Complete texts, and all pasted texts, become chips. */
    type: (value: string, isPasted: boolean) => {
      setProblem(undefined)
      if (isPasted && isSigned(value) && openTransaction(value)) return
      const end = isPasted
        ? value.length
        : Math.max(...[" ", "\n", ",", ";"].map((mark) => value.lastIndexOf(mark) + 1))
      const all = add(value.slice(0, end))
      setText(value.slice(end))
      // A phrase that is typed word by word: its later words are erased as well.
      const isPhrase = isSecret(all.join(" "))
      if (isPhrase) refuseSecret()
      setTexts(isPhrase || refusal.get()?.kind === "secret" ? all.filter((other) => !isWord(other)) : all)
    },
    submit: (event: Event) => {
      event.preventDefault()
      const all = add(text)
      const [first = ""] = all
      if (all.length === 0) return setProblem(t("enterAddress"))
      if (all.length > maxTexts) return setProblem(t("tooMany", { max: maxTexts, count: all.length }))
      if (all.length === 1 && openTransaction(first)) return
      const coin = all.length === 1 ? coinOf(first) : undefined
      if (coin !== undefined) return void goTo({ view: "coin", items: [coin.id] })
      // Secrets and hashes are refused without a request.
      if (all.length > maxChips || isSecret(all.join(" ")) || all.some((other) => isHash(other))) return open(all)
      const from = currentRoute.get()
      void read(all, new AbortController().signal).then((lookups) => {
        if (currentRoute.get() !== from) return
        const reason = unfitReason(all, lookups)
        return reason === undefined ? open(all) : setProblem(reason)
      })
    }
  }
}

interface TypedProps {
  readonly text: string
  readonly lookups: ReadonlyMap<string, Lookup>
}

/** The recognition of the text that is being typed, in place of the help. Keys that are being typed are not sent. */
const Typed = ({ lookups, text }: TypedProps) => {
  const isShown = isComplete(text) || coinOf(text) !== undefined || pastedOf(text).kind !== "address"
  return (
    <p id="addresses-help" class="help" aria-live="polite">
      {isShown && text !== "" ? <Recognised text={text} lookup={lookups.get(text)} /> : t("addressesHelp")}
    </p>
  )
}

/** The field for addresses. Submitted addresses become the route, so that they can be stored as a link. */
export const AddressField = (properties: FieldProps) => {
  const { lookups, problem, remove, submit, text, texts, type, typed } = useEntries(properties)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (properties.close !== undefined) field.current?.focus()
  }, [])
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey) submit(event)
    const last = texts.at(-1)
    if (event.key === "Backspace" && text === "" && last !== undefined) remove(last)
  }
  return (
    <form class="addresses" onSubmit={submit}>
      <label for="addresses" class="only-read">
        {t("addresses")}
      </label>
      <div class="address-field">
        <Chips texts={texts} lookups={lookups} remove={remove} />
        <textarea
          ref={field}
          id="addresses"
          rows={1}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          enterkeyhint="go"
          placeholder={t(texts.length === 0 ? "addressesExample" : "addAnother")}
          aria-describedby={problem === undefined ? "addresses-help" : "addresses-help addresses-problem"}
          aria-invalid={problem !== undefined}
          value={text}
          onInput={(event) => type(event.currentTarget.value, event.inputType === "insertFromPaste")}
          onKeyDown={press}
        />
        <button type="submit" class="primary">
          {t("show")}
        </button>
      </div>
      <Typed text={typed} lookups={lookups} />
      {problem !== undefined && (
        <p id="addresses-problem" class="problem" role="alert">
          {sanitized(problem, 300)}
        </p>
      )}
    </form>
  )
}
