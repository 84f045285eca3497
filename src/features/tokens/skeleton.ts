// What a text looks like: texts that people take for each other have the same skeleton (Unicode TR39, written by hand for
// letters that look like Latin ones; NFKD covers full width, circled and mathematical letters).

/** Longest part of a name or a symbol that is read: contracts write them, without any limit. */
export const maxText = 256

/** Characters that look like a Latin letter, in their own case: upper and lower case may look like different letters. */
const lookalikes: Readonly<Record<string, string>> = {
  a: "АаΑαɑ⍺ᴀᎪ₳ӐӒ",
  b: "ВЬьвΒβʙᏴ₿฿ßƄƀɃ",
  c: "СсϹϲᴄᏟ₵¢ϽҀ",
  d: "ԀԁᎠᴅĐđƉÐ₫",
  e: "ЕеΕεєЄᴇᎬ€ɛҽϵ",
  f: "Ϝϝꜰƒſ₣ẝ",
  g: "ԌɡɢᏀ₲ցǤ",
  h: "НнҺһΗʜᎻհĦħ",
  i: "ІіӀӏΙιɪıɩ⍳ӀƗ",
  j: "ЈјᎫᴊյϳ",
  k: "КкΚκᏦᴋҚқ₭ĸ",
  l: "ʟᏞŁłƚԼℓ∣ǀɭ£",
  m: "МмΜᎷᴍⅯ",
  n: "ΝηпՈոռɴ₦ηПп",
  o: "ОоΟοσОՕօᴏØøСⲟఠ⊙",
  p: "РрΡρᏢᴘ₱ϱҎ",
  q: "ԚԛզգϙႭ",
  r: "ᎡʀгГᏒ₹ґ",
  s: "ЅѕՏᏚꜱ§₴ƽ",
  t: "ТтΤτᎢᴛ₮ŦŧТ₸",
  u: "υսՍᴜμµυՍԱ",
  v: "νѵѴᏙᴠ∨Ѷ",
  w: "ԜԝωшШաᎳᴡ₩ѡ",
  x: "ХхΧχ×✕ҲҳᚷX",
  y: "УуΥγʏүҮ¥Ɏ",
  z: "ΖᏃᴢʐƵƶ"
}

const latin: ReadonlyMap<string, string> = new Map([
  ...Object.entries(lookalikes).flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)),
  // Letters in black circles and squares, and those that make flags.
  ...[0x1f150, 0x1f170, 0x1f1e6].flatMap((first) =>
    [..."abcdefghijklmnopqrstuvwxyz"].map((letter, index) => [String.fromCodePoint(first + index), letter] as const)
  )
])

/** Characters that change the direction of text. */
export const directionMarks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

/** Invisible characters, apart from those of `directionMarks`. */
const hidden =
  "\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200d\\u2028\\u2029\\u2060-\\u2065\\u206a-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffb\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}"

/** Joins emoji, or is needed to write some scripts: hides nothing there. */
const joined =
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Sinhala}\p{Script=Mongolian}#*0-9]|\ufe0f|\u20e3)(?:\u200c|\u200d|\ufe0e|\ufe0f)/gu

const hiddenCharacter = new RegExp(`[${hidden}]`, "u")
const unseen = new RegExp(`[${hidden}\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]`, "gu")

export const hasHidden = (text: string): boolean => hiddenCharacter.test(text.replaceAll(joined, ""))

/** Whether all characters are visible ones of ASCII, or spaces. */
export const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text)

/** The visible text: compatibility forms are replaced, and invisible characters left out. */
export const readable = (text: string): string =>
  isAscii(text) ? text : text.normalize("NFKC").slice(0, maxText).replaceAll(unseen, "").trim()

/** The spelling of a text without its case and spaces. */
export const spelling = (text: string): string => text.slice(0, maxText).toLowerCase().replaceAll(/\s+/g, "")

/** Equal for texts that look alike, also if one has emoji or punctuation around it. Empty if nothing of it is seen. */
export const skeleton = (text: string): string => {
  const bounded = text.slice(0, maxText)
  const written = isAscii(bounded) ? bounded : asLatin(bounded)
  const spelled = spelling(written)
  return (spelled.replaceAll(around, "") || spelled).replaceAll(/[i1|]/g, "l").replaceAll("0", "o")
}

const around = /^[.,'"`!*~_:;()[\]-]+|[.,'"`!*~_:;()[\]-]+$/g

const asLatin = (text: string): string => {
  const seen = text
    .normalize("NFKD")
    // One character may become eighteen.
    .slice(0, maxText)
    .replaceAll(unseen, "")
    .replaceAll(/\p{M}+/gu, "")
  const letters = seen.replaceAll(/\p{Extended_Pictographic}/gu, "")
  return Array.from(letters.trim() === "" ? seen : letters, (character) => latin.get(character) ?? character).join("")
}
