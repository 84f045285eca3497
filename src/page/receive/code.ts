import { encodeQR } from "qr"

/** Light modules around the code, which readers need. */
const quiet = 4

/** The dark modules of the code of a text as the path of a picture, in modules. */
export const codeOf = (text: string): { readonly path: string; readonly size: number } => {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: quiet })
  const path = rows.map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")).join("")).join("")
  return { path, size: rows.length }
}
