import type { VerdictReason } from "../../domain/tokens/Verdict.ts"
import { directionMarks, hasHidden, isAscii, maxText, readable, skeleton } from "./skeleton.ts"

// Forms of texts by which frauds invite to a web page. Every expression is linear: the texts are bounded, but hostile.

/** The signs of a fraud in the name and the symbol of a token. */
export const textReasons = (name: string, symbol: string): ReadonlyArray<VerdictReason> => {
  const texts = [name.slice(0, maxText), symbol.slice(0, maxText)]
  const read = texts.map(readable)
  const found: ReadonlyArray<readonly [VerdictReason, boolean]> = [
    ["link", read.some(isLink)],
    ["claim", texts.some((text) => /[＄﹩]/.test(text)) || read.some(isClaim)],
    ["lookalike", read.some(isMixed)],
    ["hidden-characters", texts.some(hasHidden)],
    ["direction-marks", texts.some((text) => directionMarks.test(text))]
  ]
  return found.flatMap(([reason, holds]) => (holds ? [reason] : []))
}

/** Whether Latin letters have letters of another script among them that look like Latin ones. */
const isMixed = (text: string): boolean =>
  !isAscii(text) &&
  text
    .split(/[^\p{L}]+/u)
    .some(
      (word) =>
        /[a-z]/i.test(word) && /[\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Cherokee}ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο]/u.test(word)
    )

const setOf = (words: string) => new Set(words.split(" "))

/** Top-level domains that frauds use. Not those that are usual suffixes of symbols (`USDC.e`, `BTC.b`). */
const domains = setOf(
  "com net org info biz io xyz app dev site online top club vip pro live store shop finance exchange money cash fund capital network website space tech world life today link click page gift gifts bonus events event claims rewards zone group team cloud digital fun lol wtf win bet farm cc co me gg us uk eu ru cn in ai fi so to tv ws pw is sh li ly la gl gd id im limo"
)

/** Domains that count also if spaces are around their dot. */
const spacedDomains = setOf("com net org info biz io xyz app site online top club vip cc")

const scheme = /\b(?:https?|hxxps?|ipfs)\s?:|\bwww\d?\s?[.,]/i

/** Characters that people read as the dot of a domain. */
const dots = /[[({<]\s?(?:dot|\.)\s?[\])}>]|[․。｡．﹒·•∙⋅‧●⚫🔴🔵⚪🟢🟡]/giu

const isLink = (text: string): boolean => {
  const dotted = isAscii(text) && !/dot|[[({<]/i.test(text) ? text : text.replaceAll(dots, ".")
  const joined = dotted.replaceAll(/\s?\.\s?|\sdot\s/gi, ".")
  if (!joined.includes(".") && !joined.includes(":")) return false
  return scheme.test(text) || hasDomain(dotted, domains) || hasDomain(joined, spacedDomains)
}

/** Whether a text has a word with a dot before a domain, or before a path. */
const hasDomain = (text: string, wanted: ReadonlySet<string>): boolean =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}.\-/]+/u)
    .some((word) => {
      const [host = "", path] = word.split("/", 2)
      const [first, ...labels] = host.split(".").filter((label) => label !== "")
      if (first === undefined) return false
      return (
        labels.some((label) => wanted.has(isAscii(label) ? label : skeleton(label))) ||
        (path !== undefined && path !== "" && /^[a-z]{2,}$/.test(labels.at(-1) ?? ""))
      )
    })

/** Words that call for an action or promise something, in the languages of most frauds. */
const inviting = new Set(
  [
    "claim claims claimed claiming claimable unclaimed airdrop airdrops voucher vouchers redeem redeems redeemable",
    "giveaway giveaways reward rewards bonus bonuses visit gift gifts eligible congratulations winner freemint",
    "reclama reclame reclamar recompensa recompensas visita regalo regalos canjea canjear cupón reivindicar reivindique",
    "resgatar resgate prêmio prêmios presente réclamer réclamez récompense récompenses cadeau cadeaux visitez",
    "einlösen belohnung belohnungen gutschein gutscheine geschenk geschenke besuche besuchen riscatta ricompensa ricompense",
    "ödül hediye klaim hadiah получи получите получить забери заберите награда награды награду бонус бонусы подарок",
    "аирдроп эирдроп посетите нагорода отримати отримай"
  ].flatMap((line) => line.split(" ").map(skeleton))
)

/** Such words of scripts without spaces, or of several words. */
const phrases =
  /领取|領取|空投|奖励|獎勵|兑换|兌換|领奖|赠送|請求|エアドロップ|報酬|受け取|에어드랍|에어드롭|보상|청구|nhận thưởng|phần thưởng|quà tặng|مكافأة|هدية|استلم|इनाम|रिवॉर्ड|free mint|air drop/

/** A sum of money, such as `$1000`, `1,000$` or `5000 USDT`. */
const sum =
  /[$€£]\s?\d[\d,.]*\d|\d[\d,.]*\s?k?[$€£]|(?:^|[\s(])\d[\d,.]*\d\s(?:usd|usdt|usdc|eth|btc|bnb|dollars?)(?!\w)/

const isClaim = (text: string): boolean => {
  const plain = text.toLowerCase()
  return (
    [text, text.replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")].some((spelled) => wordsOf(spelled).some(isInviting)) ||
    phrases.test(plain) ||
    sum.test(plain)
  )
}

const wordsOf = (text: string) => text.split(isAscii(text) ? /[^A-Za-z0-9|]+/ : /[^\p{L}\p{N}|]+/u)

const isInviting = (word: string): boolean => {
  const key = skeleton(word)
  return inviting.has(key) || key.startsWith(claim) || key.startsWith(airdrop)
}
const claim = skeleton("claim")
const airdrop = skeleton("airdrop")
