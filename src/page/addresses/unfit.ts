import { type TextKey, t } from "../text/language.ts"
import { type Pasted, pastedOf } from "./pasted.ts"

const texts: Readonly<Record<Pasted["kind"], TextKey>> = {
  address: "fitsNone",
  name: "nameUnsupported",
  transaction: "transactionAlone",
  none: "noAddressIn"
}

/** Why a text cannot be shown: its form, or the reason of the service. */
export const unfitText = (text: string, reason?: string): string => {
  const { kind } = pastedOf(text)
  return kind === "address" && reason !== undefined ? t("unfit", { reason }) : t(texts[kind])
}
