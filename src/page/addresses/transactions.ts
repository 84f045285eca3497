import { goTo } from "../state/navigation.ts"
import { confirm } from "../state/refusal.ts"
import { isSigned } from "../state/secrets.ts"
import { makeStore } from "../state/store.ts"
import { pastedOf } from "./pasted.ts"

/** A signed transaction for the view of transactions: it is too long for a URL. */
export const entered = makeStore("")

/** Opens the view of transactions with a signed transaction, or the transaction of a link. Returns false for other texts. */
export const openTransaction = (text: string): boolean => {
  const { kind, text: hash } = pastedOf(text)
  const isLink = kind === "transaction"
  if (!isLink && !isSigned(text)) return false
  const items = isLink ? [hash] : []
  confirm({ items })
  entered.set(isLink ? "" : text.trim())
  return goTo({ view: "tx", items })
}
