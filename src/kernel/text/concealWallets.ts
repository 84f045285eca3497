const mark = "{wallet}"

/** Neither a letter nor a digit stands here; what follows is not a git commit or the id of a request, which have such forms too. */
const start = String.raw`(?<![A-Za-z0-9])(?<!(?:commit|requestId)["']?[:=]\s?["']?)`
const end = "(?![A-Za-z0-9])"

/** Addresses, hashes, public keys and transactions by their form. */
const forms = [
  // 20 bytes and more in hexadecimal digits.
  `(?:0x)?(?:[0-9a-f]{40,}|[0-9A-F]{40,}|[0-9a-fA-F]{40,})${end}`,
  // Base64 with padding, as hashes of TON, or without.
  "[A-Za-z0-9+/]{42,}={1,2}",
  String.raw`[A-Za-z0-9+][A-Za-z0-9+/]{42,}(?![\w+/.-])`,
  // Base64 for URLs, as addresses of TON.
  String.raw`(?=[\w-]*[A-Z])(?=[\w-]*[a-z])(?=[\w-]*\d)[\w-]{43,}`,
  // Base58 and bech32: letters after f, and a digit or many capitals.
  `(?=[A-Za-z]*\\d)(?=[a-fA-F0-9]*[g-zG-Z])[A-Za-z0-9]{25,}${end}`,
  `(?=(?:[a-z0-9]*[A-Z]){8})[A-Za-z0-9]{32,}${end}`
]

const wallet = new RegExp(`${start}(?:${forms.join("|")})`, "g")

/** Replaces everything in a text that may name a wallet or one of its transactions; names of addresses have no such form. */
export const withoutWallets = (text: string): string => text.replace(wallet, mark)
