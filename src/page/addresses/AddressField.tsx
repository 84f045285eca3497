import { useEffect, useRef, useState } from "preact/hooks"
import { Icon } from "../parts/Icon.tsx"
import { goTo } from "../state/navigation.ts"
import { isSendable, refusal, refuseSecret } from "../state/refusal.ts"
import type { ViewName } from "../state/route.ts"
import { isHash, isSecret, isWord } from "../state/secrets.ts"
import { networkName, service } from "../state/service.ts"
import { promptForKey, session } from "../state/session.ts"
import { useStore } from "../state/store.ts"
import { shortened } from "../text/format.ts"
import { t } from "../text/language.ts"
import { addressTexts, type Lookup, makeLookups, maxTexts } from "./accounts.ts"

/** Chips that are shown; further addresses are counted. */
const maxChips = 12

/** The recognition of a text, in a few words. */
const Recognised = ({ lookup }: { readonly lookup: Lookup | undefined }) => {
  const known = useStore(service)
  if (lookup === undefined || lookup.state === "waiting") return <span class="label">{t("looking")}</span>
  if (lookup.state === "failed") return <span class="missing">{lookup.problem}</span>
  if (isHash(lookup.text) && !isSendable(lookup.text)) return <span>{t("hexDigits")}</span>
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

/** The recognition of each text, read again for new texts only. */
const useLookups = (texts: ReadonlyArray<string>): ReadonlyMap<string, Lookup> => {
  const { client } = useStore(session)
  const [known, setKnown] = useState<ReadonlyMap<string, Lookup>>(new Map())
  const name = texts.join(" ")
  useEffect(() => {
    const missing = texts.filter((text) => known.get(text)?.state !== "found")
    if (missing.length === 0) return
    const controller = new AbortController()
    const lookups = makeLookups(client, missing, controller.signal, promptForKey(client))
    void lookups.lookUp(missing, () => {
      if (controller.signal.aborted) return
      setKnown((before) => new Map([...before, ...lookups.all().map((lookup) => [lookup.text, lookup] as const)]))
    })
    return () => controller.abort()
  }, [client, name])
  return known
}

interface ChipsProps {
  readonly texts: ReadonlyArray<string>
  readonly remove: (text: string) => void
}

const Chips = ({ remove, texts }: ChipsProps) => {
  const shown = texts.slice(0, maxChips)
  const lookups = useLookups(shown)
  if (texts.length === 0) return null
  return (
    <ul class="chips">
      {shown.map((text) => {
        const lookup = lookups.get(text)
        const isUnknown = lookup?.state === "found" && lookup.matches.length === 0
        return (
          <li key={text} class={isUnknown ? "chip unknown" : "chip"}>
            <bdi class="code">{shortened(text)}</bdi>
            <Recognised lookup={lookup} />
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

/** Entered texts as chips, and the problem of the last submission. */
const useEntries = ({ close, items, view }: FieldProps) => {
  const [texts, setTexts] = useState(items)
  const [text, setText] = useState("")
  const [problem, setProblem] = useState<string>()
  const add = (more: string) => [...new Set([...texts, ...addressTexts(more)])]
  return {
    texts,
    text,
    problem,
    remove: (removed: string) => setTexts(texts.filter((other) => other !== removed)),
    /** Complete texts, and all pasted texts, become chips. */
    type: (value: string, isPasted: boolean) => {
      setProblem(undefined)
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
      if (all.length === 0) return setProblem(t("enterAddress"))
      if (all.length > maxTexts) return setProblem(t("tooMany", { max: maxTexts, count: all.length }))
      setTexts(isSecret(all.join(" ")) ? texts.filter((other) => !isWord(other)) : all)
      setText("")
      if (goTo({ view, items: all })) close?.()
    }
  }
}

/** The field for addresses. Submitted addresses become the route, so that they can be stored as a link. */
export const AddressField = (properties: FieldProps) => {
  const { problem, remove, submit, text, texts, type } = useEntries(properties)
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
        <Chips texts={texts} remove={remove} />
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
      <p id="addresses-help" class="help">
        {t("addressesHelp")}
      </p>
      {problem !== undefined && (
        <p id="addresses-problem" class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  )
}
