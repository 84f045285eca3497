// Recognises entered texts by their form alone, without a request.

/**
 * The meaning of an entered text. `address`: may be an address, which the service knows; `name`: a name of a name service;
 * `transaction`: the hash of a transaction in a link; `none`: a link without either.
 */
export interface Pasted {
  readonly kind: "address" | "name" | "transaction" | "none"
  /** The address, the name or the hash in the text. */
  readonly text: string
}

const none: Pasted = { kind: "none", text: "" }

const name =
  /^@?([\p{L}\p{N}_-]+\.)+(eth|sol|ton|sui|trx|bnb|crypto|nft|wallet|dao|blockchain|polygon|ada|xrp|btc|lens|avax|arb|stx|t\.me|cb\.id)$|^[$@][\p{L}\p{N}_.-]{1,30}$/iu

/** A part of a link that may be an address. */
const addressLike = /^(0x[\da-f]{40}|0x[\da-f]{64}|-?\d:[\da-f]{64}|([a-z]+:)?[\w-]{25,130})$/i
const hashLike = /^(0x)?[\da-f]{64}$|^[1-9A-HJ-NP-Za-km-z]{43,88}$/i

const ofAddresses = /^(addr|address|addresses|accounts?|wallet|holder|owner|profile|stake|stakekey|contract|token|a)$/i
const ofTransactions = /^(tx|txs|txn|trans|transactions?|extrinsics?|txblock|signature)$/i

/** The schemes of payment requests. The others are part of an address, such as `bitcoincash`, or unknown. */
const payments =
  /^(bitcoin|litecoin|dogecoin|solana|ripple|xrpl|xrp|tron|sui|ton|cardano|web\+cardano|polkadot|substrate|ethereum)$/

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const addressOr = (text: string): Pasted => ({ kind: name.test(text) ? "name" : "address", text })

/** The address or the hash in a link of an explorer: the part after its kind, otherwise the last that may be one. */
const inLink = (text: string): Pasted => {
  const [, path = "", query = "", fragment = ""] = /^\w+:\/\/([^?#]*)\??([^#]*)#?(.*)$/.exec(text) ?? []
  const parts = [...path.split("/"), ...fragment.split(/[/?&=]/)].map(decoded)
  const parameters = query.split("&").map((pair) => pair.split("=").map(decoded))
  const after = (kind: RegExp) => parts.find((_, index) => kind.test(parts[index - 1] ?? ""))
  const [, holder] = parameters.find(([key = "", value = ""]) => ofAddresses.test(key) && addressLike.test(value)) ?? []
  const hash = after(ofTransactions)
  if (hash !== undefined && hashLike.test(hash)) return { kind: "transaction", text: hash }
  const found = [holder, after(ofAddresses), parts.findLast((part) => addressLike.test(part) && !part.includes("."))]
  const address = found.find((part) => part !== undefined && (addressLike.test(part) || name.test(part)))
  const named = parts.slice(1).find((part) => name.test(part))
  return address === undefined ? (named === undefined ? none : addressOr(named)) : addressOr(address)
}

/** The recipient of a payment request: BIP-21 and its like, EIP-681, Solana Pay, TON. */
const inPayment = (scheme: string, rest: string): Pasted => {
  const [target = "", query = ""] = rest.replace(/^\/*((transfer|pay|payment)[/-])?/i, "").split("?", 2)
  // The recipient of a transfer of tokens is a parameter; the target is their contract.
  const [, recipient] = scheme === "ethereum" ? (/(?:^|&)address=([^&]+)/.exec(query) ?? []) : []
  const text = decoded(recipient ?? target.replace(/[@;#:/].*$/, ""))
  // A request to fetch a transaction has a link in place of a recipient.
  return text === "" || /^https?$|:\/\//i.test(text) ? none : addressOr(text)
}

/** Recognises an entered text. */
export const pastedOf = (entered: string): Pasted => {
  const [, scheme = "", rest = ""] = /^([a-z][a-z\d+.-]*):(.+)$/is.exec(entered) ?? []
  const lower = scheme.toLowerCase()
  if (lower === "http" || lower === "https") return inLink(entered)
  // CAIP-10: the namespace and the id of a network, and an address.
  const [, account] = /^[-a-z\d]{3,11}:[-\w]{1,32}:([-.%\w]{1,128})$/.exec(entered) ?? []
  if (account !== undefined) return addressOr(decoded(account))
  if (payments.test(lower)) return inPayment(lower, rest)
  return addressOr(scheme === "" ? entered : entered.replace(/\?.*$/s, ""))
}

/** The address in an entered text; other texts are returned unchanged. */
export const unwrapped = (entered: string): string => {
  const { kind, text } = pastedOf(entered)
  return kind === "address" ? text : entered
}

/** Whether a text that is being typed is complete and cannot be the beginning of a key: it may be sent at once. */
export const isComplete = (text: string): boolean =>
  /^(?!xprv|suipriv|[a-z\d_]*sk1)[a-z]{2,12}1[ac-hj-np-z02-9]{38,}$/i.test(text) || /^[EU]Q[\w-]{46}$/.test(text)
