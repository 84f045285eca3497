import type { VerdictReason } from "../../domain/tokens/Verdict.ts"
import { directionMarks, hasHidden, isAscii, maxText, readable } from "./skeleton.ts"

// Forms of texts by which frauds ask to be visited. Every expression is linear: the texts are bounded, but hostile.

/** What the name or the symbol of a token says against it. */
export const textReasons = (name: string, symbol: string): ReadonlyArray<VerdictReason> => {
  const texts = [name.slice(0, maxText), symbol.slice(0, maxText)]
  const read = texts.map(readable)
  const found: ReadonlyArray<readonly [VerdictReason, boolean]> = [
    ["link", read.some(isLink)],
    ["claim", texts.some((text) => /[＄﹩]/.test(text)) || read.some(isClaim)],
    ["hidden-characters", texts.some(hasHidden)],
    ["direction-marks", texts.some((text) => directionMarks.test(text))]
  ]
  return found.flatMap(([reason, holds]) => (holds ? [reason] : []))
}

const setOf = (words: string) => new Set(words.split(" "))

/** Top-level domains that frauds use. Not those that are usual suffixes of symbols (`USDC.e`, `BTC.b`). */
const domains = setOf(
  "com net org info biz io xyz app dev site online top club vip pro live store shop finance exchange money cash fund capital network website space tech world life today link click page gift gifts bonus events event claims rewards zone group team cloud digital fun lol wtf win bet farm cc co me gg us uk eu ru cn in ai fi so to tv ws pw is sh li ly la gl gd id im limo"
)

/** Domains that count also if spaces are around their dot. */
const spacedDomains = setOf("com net org info biz io xyz app site online top club vip cc")

const scheme = /\b(?:https?|hxxps?|ipfs)\s?:|\bwww\d?\s?[.,]/i

/** Characters and words that people read as the dot of a domain. */
const dots = /[[({<]\s?(?:dot|\.)\s?[\])}>]|\sdot\s|[․。｡．﹒·•∙⋅‧●⚫🔴🔵⚪🟢🟡]/giu

const isLink = (text: string): boolean => {
  const dotted = isAscii(text) && !/dot|[[({<]/i.test(text) ? text : text.replaceAll(dots, ".")
  if (!dotted.includes(".") && !dotted.includes(":")) return false
  return (
    scheme.test(text) ||
    hasDomain(dotted, /[^\p{L}\p{N}.-]+/u, domains) ||
    hasDomain(dotted.replaceAll(/\s?\.\s?/g, "."), /[^\p{L}\p{N}.-]+/u, spacedDomains)
  )
}

const hasDomain = (text: string, between: RegExp, wanted: ReadonlySet<string>): boolean =>
  text
    .toLowerCase()
    .split(between)
    .some((word) => {
      const labels = word.split(".")
      return labels.some((label, index) => index > 0 && labels[index - 1] !== "" && wanted.has(label))
    })

/** Words that ask to act or promise something, in the languages of most frauds. */
const asking = setOf(
  [
    "claim claims claimed claiming claimable unclaimed airdrop airdrops voucher vouchers redeem redeems redeemable",
    "giveaway giveaways reward rewards bonus bonuses visit gift gifts eligible congratulations winner freemint",
    "reclama reclame reclamar recompensa recompensas visita regalo regalos canjea canjear cupón reivindicar reivindique",
    "resgatar resgate prêmio prêmios presente réclamer réclamez récompense récompenses cadeau cadeaux visitez",
    "einlösen belohnung belohnungen gutschein gutscheine geschenk geschenke besuche besuchen riscatta ricompensa ricompense",
    "ödül hediye klaim hadiah получи получите получить забери заберите награда награды награду бонус бонусы подарок",
    "аирдроп эирдроп посетите нагорода отримати отримай"
  ].join(" ")
)

/** Such words of scripts without spaces, or of several words. */
const phrases =
  /领取|領取|空投|奖励|獎勵|兑换|兌換|领奖|赠送|請求|エアドロップ|報酬|受け取|에어드랍|에어드롭|보상|청구|nhận thưởng|phần thưởng|quà tặng|مكافأة|هدية|استلم|इनाम|रिवॉर्ड|free mint|air drop/

/** A sum of money, such as `$1000`, `1,000$` or `5000 USDT`. */
const sum =
  /[$€£]\s?\d[\d,.]*\d|\d[\d,.]*\s?k?[$€£]|(?:^|[\s(])\d[\d,.]*\d\s(?:usd|usdt|usdc|eth|btc|bnb|dollars?)(?!\w)/

const isClaim = (text: string): boolean => {
  const plain = text.toLowerCase()
  return plain.split(/[^\p{L}]+/u).some((word) => asking.has(word)) || phrases.test(plain) || sum.test(plain)
}
