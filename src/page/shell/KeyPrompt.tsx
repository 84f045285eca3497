import { useState } from "preact/hooks"
import { enterKey } from "../state/session.ts"

/** Asks for the API key of a service that needs one. */
export const KeyPrompt = ({ isRefused }: { readonly isRefused: boolean }) => {
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
          : "Its operator has set keys. Enter yours: it is kept in this tab alone and sent to this service alone."}
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
