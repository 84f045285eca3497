import { refuseSecret } from "./refusal.ts"
import { isSecret } from "./secrets.ts"

/** The field for the API key is excluded. */
const isField = (target: EventTarget | null): target is HTMLInputElement | HTMLTextAreaElement =>
  (target instanceof HTMLInputElement && target.type !== "password") || target instanceof HTMLTextAreaElement

/** Watches all fields: a secret is erased before any other code sees it, and a pasted one does not arrive. */
export const watchFields = () => {
  const isRefused = (text: string, field: HTMLInputElement | HTMLTextAreaElement) =>
    isSecret(text, field.type === "search")
  document.addEventListener(
    "paste",
    (event) => {
      const { clipboardData, target } = event
      if (!isField(target) || !isRefused(clipboardData?.getData("text") ?? "", target)) return
      event.preventDefault()
      event.stopPropagation()
      refuseSecret()
    },
    true
  )
  document.addEventListener(
    "input",
    ({ target }) => {
      if (!isField(target) || !isRefused(target.value, target)) return
      target.value = ""
      refuseSecret()
    },
    true
  )
}
