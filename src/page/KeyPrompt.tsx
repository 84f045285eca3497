import { useState } from "preact/hooks"
import { enterKey } from "./state/session.ts"
import { t } from "./text/language.ts"

/** Prompts for the API key of a service that requires a key. */
export const KeyPrompt = ({ isRefused }: { readonly isRefused: boolean }) => {
  const [key, setKey] = useState("")
  const submit = (event: Event) => {
    event.preventDefault()
    if (key.trim() !== "") enterKey(key.trim())
  }
  return (
    <form class="panel key" onSubmit={submit}>
      <h1>{t("keyNeeded")}</h1>
      <p role="alert">{t(isRefused ? "keyRefused" : "keyHelp")}</p>
      <div class="line">
        <label for="api-key">{t("key")}</label>
        <input
          id="api-key"
          type="password"
          autocomplete="off"
          value={key}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
        />
        <button type="submit" class="primary">
          {t("useKey")}
        </button>
      </div>
    </form>
  )
}
