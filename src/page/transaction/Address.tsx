import { Copy } from "../parts/Copy.tsx"
import { sanitized, shortened } from "../text/format.ts"
import { t } from "../text/language.ts"

/** An address, and a button that copies it if `isCopied`. */
export const Address = ({ isCopied = true, of }: { readonly of: string; readonly isCopied?: boolean }) => {
  const short = shortened(of)
  return (
    <>
      <bdi class="code" title={sanitized(of, 300)}>
        {short || t("unknown")}
      </bdi>
      {isCopied && of !== "" && <Copy text={of} what={t("theAddress", { address: short })} />}
    </>
  )
}
