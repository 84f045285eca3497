// Secrets are recognised by their form alone: no word list, no checksum, so that a mistyped secret is one as well.

/** The number of words from which a text is a recovery phrase. */
const phraseLength = 12

/** A word of a phrase, perhaps mistyped, or of a shorter text: no network has such short addresses. */
const word = /^(?=.*\p{L})[\p{L}\p{M}\p{N}'’]{1,14}$/u

const forms = [
  // WIF of bitcoin, litecoin, dogecoin and test networks, also with a character too few or too many.
  /^[569KLTQc]\w{49,52}$/,
  // Encrypted by a password (BIP-38).
  /^6P\w{56}$/,
  // Extended private keys; public ones end with pub.
  /^([a-z]{1,3}prv|[LM]tpv|dgpv)\w{16,}$/i,
  // Keys in bech32: Sui, Cardano.
  /^(suiprivkey|xprv|(\w+_)?x?sk)1\w{16,}$/i,
  // Seeds of the XRP Ledger and of Stellar, keys with their curve.
  /^s[1-9A-HJ-NP-Za-km-z]{27,30}$/,
  /^S[A-Z2-7]{55}$/,
  /^(ed25519|secp256k1):\w{30,}$/
]

const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

/** 64 bytes in base58: a key of Solana, or a signature. */
const long58 = /^[1-9A-HJ-NP-Za-km-z]{86,88}$/

/** Whether 64 bytes may be a signature: its second number is at most the order of the curve. So it is in one of 15 keys. */
const isSignature = (text: string) =>
  long58.test(text) && [...text].reduce((sum, letter) => (58 * sum + base58.indexOf(letter)) % 256, 0) <= 16

/** A key of Solana; a phrase's entropy, or its seed. What a wallet shows may have these forms. */
const isBytes = (text: string) =>
  (long58.test(text) && !isSignature(text)) || /^(0x)?([\da-fA-F]{32}|[\da-fA-F]{128})$/.test(text)

/**
 * A signed transaction, by its first bytes and a length that no key has: hex (EVM networks, Bitcoin family, Cardano,
 * XRP Ledger, Tron, Polkadot, TON), base64 (TON, Solana, Sui), base58 (Solana), JSON (Sui).
 */
const signed =
  /^((0x)?(0[1-4a]|1200|8[34]|f[89a]|[\da-f][159d][\da-f]{2}84|b5ee9c72)[\da-f]{150,}|(?![\da-f]*$)((te6cc|[AB])[\w+/-]{150,}={0,2}|[1-9A-HJ-NP-Za-km-z]{150,})|\{(?=.*"bytes")(?=.*"signatures?").*\})$/is

/** Forms of whole texts: files of keys, bytes as numbers, secret numbers. */
const files =
  /"(ciphertext|encoded|kdf|mnemonic)"\s*:|PRIVATE KEY-|\bsymKey=|^\W*(\d{1,3}\W+){31,63}\d{1,3}\W*$|^\W*(\d{6}\W*){8}$/i

/** Removes numbers of words (`1.`), quotes, a derivation path and what a text is called (`key:`). */
const bare = (text: string) =>
  text
    .replace(/\/\/.*$/, "")
    .replace(/^["'`<[({]+|["'`>\])}.!]+$/g, "")
    .replace(/^\d{1,2}[.):-]+(?=\p{L})/u, "")

const hasPhrase = (texts: ReadonlyArray<string>) => {
  let count = 0
  return texts.some((text) => {
    if (/^\d{0,2}[^\p{L}]?$/u.test(text)) return false
    // Chinese needs no blanks.
    const han = /^\p{Script=Han}+$/u.test(text) ? [...text].length : 1
    count = word.test(text) || han > 1 ? count + han : 0
    return count >= phraseLength
  })
}

/** Texts without invisible characters and other spellings of the same characters. */
const plainOf = (text: string) =>
  text
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .replaceAll("%20", " ")

/**
 * Whether a text has a recovery phrase, a private key or a seed. `isSearch` is true for a search in the shown data:
 * there, bytes without a sign of their kind are the hash of a transaction.
 */
export const isSecret = (text: string, isSearch = false): boolean => {
  const plain = plainOf(text)
  const parts = plain.split(/[\s,;|"]+/).map(bare)
  return (
    files.test(plain) ||
    hasPhrase(parts) ||
    parts.some((part) => {
      const named = part.replace(/^.*[:=]/, "")
      const is = (form: RegExp) => form.test(part) || form.test(named)
      return (
        forms.some(is) || (!isSearch && isBytes(named)) || (!signed.test(part) && hasPhrase(part.split(/[-_.+/]+/)))
      )
    })
  )
}

/** Whether a text is a signed transaction, by its form. */
export const isSigned = (text: string): boolean => signed.test(text.trim()) && !isSecret(text)

/** Whether a text is 64 hex digits: a transaction, a private key, or an address of some networks; or a signature of Solana. */
export const isHash = (text: string): boolean => {
  const plain = plainOf(text)
  return /^\W*(0x)?[\da-f]{64}\W*$/i.test(plain) || isSignature(plain.trim())
}

/** Whether a text is a word or its number, which no network has as an address: it may be a part of a phrase. */
export const isWord = (text: string): boolean =>
  plainOf(text)
    .split(/[-_+/]+/)
    .every((part) => word.test(bare(part)) || /^\d{0,2}[^\p{L}]?$/u.test(part))
