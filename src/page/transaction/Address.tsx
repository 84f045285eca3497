import { Copy } from "../parts/Copy.tsx"
import { sanitized, shortened } from "../text/format.ts"
import { t } from "../text/language.ts"

/** A whole address, so that each character can be compared, and a button that copies it if `isCopied`. */
export const Address = ({ isCopied = true, of }: { readonly of: string; readonly isCopied?: boolean }) => {
  const short = shortened(of)
  return (
    <>
      <bdi class="code">{sanitized(of, 130) || t("unknown")}</bdi>
      {isCopied && of !== "" && <Copy text={of} what={t("theAddress", { address: short })} />}
    </>
  )
}
