import { useEffect, useState } from "preact/hooks"
import { goTo } from "../state/navigation.ts"
import type { ViewName } from "../state/route.ts"
import { count, counted } from "../text/format.ts"
import { addressTexts, maxTexts } from "./addressTexts.ts"

/** Form for addresses. Submitted addresses become the route, so that they can be stored as a link. */
export const AddressForm = ({ items, view }: { readonly items: ReadonlyArray<string>; readonly view: ViewName }) => {
  const route = items.join("\n")
  const [text, setText] = useState(route)
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    setText(route)
    setProblem(undefined)
  }, [route])

  const submit = (event: Event) => {
    event.preventDefault()
    const found = addressTexts(text)
    if (found.length === 0) return setProblem("Enter at least one address.")
    if (found.length > maxTexts)
      return setProblem(
        `At most ${count(maxTexts)} addresses can be shown at once; you entered ${counted(found.length, "address", "addresses")}.`
      )
    setProblem(undefined)
    goTo({ view, items: found })
  }
  const submitByKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event)
  }

  return (
    <form class="panel addresses" onSubmit={submit}>
      <label for="addresses">Addresses</label>
      <p id="addresses-help" class="help">
        One or more addresses or extended public keys of any network, separated by spaces, commas or line breaks.
      </p>
      <textarea
        id="addresses"
        rows={Math.min(8, Math.max(2, items.length))}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        aria-describedby={problem === undefined ? "addresses-help" : "addresses-help addresses-problem"}
        aria-invalid={problem !== undefined}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={submitByKey}
      />
      {problem !== undefined && (
        <p id="addresses-problem" class="problem" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" class="primary">
        Show
      </button>
    </form>
  )
}
