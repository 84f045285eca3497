import type { Payee } from "./UtxoAddress.ts"

const sized = (bytes: Uint8Array) => Buffer.of(bytes.length, ...bytes)

/**
 * The script that pays an address (scriptPubKey): P2PKH, P2SH (BIP-16; with a hash of 32 bytes as on Bitcoin Cash since
 * 2023), or a witness program (BIP-141). An extended key has none: it is paid at one of its addresses.
 */
export const lockingScript = (payee: Exclude<Payee, { readonly kind: "extended" }>): Buffer => {
  switch (payee.kind) {
    case "keyHash":
      return Buffer.of(0x76, 0xa9, ...sized(payee.hash), 0x88, 0xac)
    case "scriptHash":
      return Buffer.of(payee.hash.length === 32 ? 0xaa : 0xa9, ...sized(payee.hash), 0x87)
    case "witness":
      return Buffer.of(payee.version === 0 ? 0 : 0x50 + payee.version, ...sized(payee.program))
  }
}
