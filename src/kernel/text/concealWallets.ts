const mark = "{wallet}"

/**
 * Addresses, hashes, public keys and transactions by their form: 20 bytes and more in hexadecimal digits after `0x`, or
 * more than 20 without; the forms of TON with their punctuation; 25 and more letters and digits among which is a letter
 * after f. Git commits, identifiers of traces and UUIDs have none of these forms.
 */
const wallet =
  /0x[0-9a-f]{40,}|\b[0-9a-f]{41,}\b|\b[EUk0]Q[\w-]{46}(?![\w-])|\b(?=[a-z]*\d)(?=[a-f0-9]*[g-z])[a-z0-9]{25,}\b/gi

/** Replaces everything in a text that may name a wallet or one of its transactions. */
export const withoutWallets = (text: string): string => text.replace(wallet, mark)
