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
  /^([a-z]{1,3}prv|[LM]tpv|dgpv)\w{16,}/i,
  // Keys in bech32: Sui, Cardano.
  /^(suiprivkey|xprv|(\w+_)?x?sk)1\w{16,}/i,
  // Seeds of the XRP Ledger and of Stellar, mini keys, keys with their curve.
  /^s[1-9A-HJ-NP-Za-km-z]{27,30}$/,
  /^S[A-Z2-7]{55}$/,
  /^S[1-9A-HJ-NP-Za-km-z]{21,29}$/,
  /^(ed25519|secp256k1):\w{30,}$/,
  // 64 bytes in base64; the keystore of Sui: a flag and 32 bytes. A text of base58 is an address of Solana instead.
  /^[\w+/-]{86}==$/,
  /^A[A-Za-v](?=.*[0OIl+/])[\w+/]{42}$/
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
 * XRP Ledger, Tron, Polkadot, TON; not the 96 bytes of a key of Cardano), base64 (TON, Solana, Sui), base58 (Solana), JSON (Sui).
 */
const signed =
  /^((?!(0x)?[\da-f]{192}$)(0x)?(0[1-4a]|1200|8[34]|f[89a]|[\da-f][159d][\da-f]{2}84|b5ee9c72)[\da-f]{150,}|(?![\da-f]*$)((te6cc|[AB])[\w+/-]{150,}={0,2}|[1-9A-HJ-NP-Za-km-z]{150,})|\{(?=.*"bytes")(?=.*"signatures?").*\})$/is

/** Forms of whole texts: files of keys, labels of keys, bytes as numbers, secret numbers. */
const files =
  /"(ciphertext|encoded|kdf|mnemonic)"\s*:|"cborHex"\s*:\s*"58|(priv(ate)?[_ -]?key|secret([_ -]?key)?|SigningKey\w*)\W{0,3}[:=]\W{0,4}(\w{16,}|\d+\s*,)|PRIVATE KEY-|\bsymKey=|^\W*(\d{1,3}\W+){31,63}\d{1,3}\W*$|^\W*(\d{6}\W*){8}$/i

/** A label before 64 hex digits, or a few more or fewer, and the sign before the label. */
const labels = /(^|[^\p{L}\d_-])(\p{L}[\p{L}\d_-]*)["'`\\]*\s*(?:=>|[:=])["'`\\\s]*(?:0x)?[\da-f]{60,70}(?![\da-f])/giu

/** The names of networks whose addresses have 64 hex digits, as in account ids and payment requests. */
const networksOfHex = /^(sui|ton|polkadot|aptos|mainnet|testnet|devnet)$/i

/** Whether hex digits have a label, as in a file of settings or in JSON. A link says in its own words what it links to. */
const isLabelled = (text: string) =>
  [...text.matchAll(labels)].some(([, sign = "", label = ""]) =>
    /[?&]/.test(sign) ? /key|[ps]k|priv|sec|seed|pass|pw/i.test(label) : !networksOfHex.test(label)
  )

/** Whether a secret is cut in parts: wrapped over lines, or bytes and groups of hex digits. */
const isCut = (text: string, isSearch: boolean) => {
  const parts = text.split(/[\s,;|"]+/).filter((part) => part !== "")
  const groups = text.split(/[^\p{L}\d]+/u).filter((group) => group !== "")
  const digits = groups.map((group) => group.replace(/^0x/i, ""))
  const hex = digits.join("")
  const isHex =
    !isSearch && /^[\da-f]{32,}$/i.test(hex) && groups.length > 1 && digits.every(({ length }) => length < 60)
  return (
    (isHex && (/^.{60,70}$/.test(hex) || digits.every((group) => group.length <= 32))) ||
    (parts.length > 1 && parts.length < 5 && forms.some((form) => /\d/.test(text) && form.test(parts.join(""))))
  )
}

/** The marks in descriptors, paths, labels and links. In base64, `/` is no mark. */
const partsOf = (text: string) =>
  /^[\w+/-]{60,}={0,2}$/.test(text) ? [] : text.split(/[()[\]{}/#:=·•>*?&\\]+/).map(bare)

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
  const texts = plain.split(/[\s,;|"]+/)
  const parts = texts.map(bare)
  const isForm = (part: string) => forms.some((form) => form.test(part))
  return (
    files.test(plain) ||
    isLabelled(plain) ||
    hasPhrase(parts) ||
    isCut(plain, isSearch) ||
    texts.some((part) => !signed.test(part) && partsOf(part).some(isForm)) ||
    parts.some((part) => {
      const named = part.replace(/^.*[:=]/, "")
      return (
        isForm(part) ||
        isForm(named) ||
        (!isSearch && isBytes(named)) ||
        (!signed.test(part) && hasPhrase(part.split(/[-_.+/:=·•>*#()\\]+/)))
      )
    })
  )
}

/** Whether a text is a signed transaction, by its form. */
export const isSigned = (text: string): boolean => signed.test(text.trim()) && !isSecret(text)

/**
 * Whether a text is 64 hex digits: a transaction, a private key, or an address of some networks; also with a byte or a few
 * digits more or fewer, as a key is copied. Or a signature of Solana.
 */
export const isHash = (text: string): boolean => {
  const plain = plainOf(text)
  return /^\W*(0x)?[\da-f]{60,70}\W*$/i.test(plain) || isSignature(plain.trim())
}

/** Whether a text is a word or its number, which no network has as an address: it may be a part of a phrase. */
export const isWord = (text: string): boolean =>
  plainOf(text)
    .split(/[-_+/]+/)
    .every((part) => word.test(bare(part)) || /^\d{0,2}[^\p{L}]?$/u.test(part))

/** Forms of the addresses of all families, for texts without another sign. */
const addressForms = [
  // EVM networks, also with the name of the network, short addresses, Tron in hex.
  /^([a-z\d-]+:)?0x[\da-f]{1,44}$/i,
  /^(41)?[\da-f]{40}$/i,
  // TON.
  /^-?[01]:[\da-f]{64}$/i,
  /^[EUk0][Qf][\w+/-]{46}$/,
  // Base58, in any family. Hex digits alone are parts of a key.
  /^(?=.*[\dA-Z])(?![\da-fA-F]+$)[\dA-Za-z]{25,49}$/,
  // The first addresses of Cardano, extended public keys.
  /^(Ae2|2cW|Ddz|37b)[\dA-Za-z]{50,110}$/,
  /^[a-z]{1,2}(pub|ub)[\dA-Za-z]{80,120}$/i,
  // Bech32, and the form of Bitcoin Cash.
  /^(bc|tb|bcrt|[tr]?ltc|[tr]?ltcmweb|addr|stake|(addr|stake)_test)1[\da-z]{10,130}$/i,
  /^([a-z]+:)?[qpzr][\da-z]{41,64}$/i
]

/** Whether a text has the form of an address or of an extended public key, also after the id of a network (CAIP-10). */
export const isAddressLike = (text: string): boolean => {
  const address = plainOf(text)
    .trim()
    .replace(/^[-a-z\d]{3,11}:[-\w]{1,32}:/, "")
  return addressForms.some((form) => form.test(address))
}

/** The forms of hashes of transactions; `transaction/hashes.ts` has the families of each. */
export const hashForms = {
  prefixed: /^0x[\da-f]{64}$/i,
  hex: /^[\da-f]{64}$/i,
  signature: /^[1-9A-HJ-NP-Za-km-z]{86,88}$/,
  digest: /^[1-9A-HJ-NP-Za-km-z]{43,44}$/,
  base64: /^([\w-]{43}|[\w+/]{43}=)$/
}

/** Whether a text has the form of the hash of a transaction of any network. */
export const isHashLike = (text: string): boolean => Object.values(hashForms).some((form) => form.test(text))
