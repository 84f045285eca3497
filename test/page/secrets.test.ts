import { assert, describe, it, layer, it as plain } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import { guarded } from "../../src/page/state/guarded.ts"
import { isOpenable, isSendable } from "../../src/page/state/refusal.ts"
import { routeOf } from "../../src/page/state/route.ts"
import { isAddressLike, isHash, isSecret, isSigned, isWord } from "../../src/page/state/secrets.ts"
import { Browser, listening } from "../support/browser.ts"
import { isMissing } from "../support/tools.ts"
import { does, finds } from "./steps.ts"
import { addresses } from "./views.ts"

const words = "abandon ability able about above absent absorb abstract absurd abuse acoustic accident".split(" ")
const japanese =
  "あいこくしん あいさつ あいだ あおぞら あかちゃん あきる あけがた あける あこがれる あさい あさひ あしあと"
const letters = "3x9QmZ7RtUvWy2Ap4Bs6Cd8Ef1Gh5JkLnMoPqSrTaVbXcYdZeFgHiNjKwDuEv9Qm3x9QmZ7RtUvWy2Ap4Bs6Cd8Ef1Gh5JkLnM"
const bech32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7lqpzry9x8gf2tvdw0s3jn54khce6mua7l"
const hex = "5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060"

/** A secret of each form, without a valid checksum: the form alone counts. */
const secrets: Readonly<Record<string, string>> = {
  "a phrase": words.join(" "),
  "a phrase of 24 words": [...words, ...words].join(" "),
  "a phrase of 20 words (SLIP-39)": [...words, ...words.slice(4)].join(" "),
  "a phrase of 25 words": [...words, ...words, "zoo"].join(" "),
  "a phrase in lines": words.join("\n"),
  "a phrase in a list": words.join(", "),
  "a numbered phrase": words.map((word, index) => `${index + 1}. ${word}`).join("\n"),
  "a numbered phrase without blanks": words.map((word, index) => `${index + 1}.${word}`).join(" "),
  "a phrase with hyphens": words.join("-"),
  "a phrase in quotes": `"${words.join(" ")}"`,
  "a phrase in capitals": words.join(" ").toUpperCase(),
  "a phrase with a mistyped word": words.join(" ").replace("above", "ab0ve"),
  "a phrase with invisible characters": words.join("\u200b "),
  "a phrase with a derivation path": `${words.join(" ")}//polkadot`,
  "a phrase after an address": `${addresses[0]} ${words.join(" ")}`,
  "a French phrase": words.join(" ").replace("about", "académie").replace("absurd", "élève"),
  "a Japanese phrase": japanese.replaceAll(" ", "\u3000"),
  "a Chinese phrase": "的 一 是 在 不 了 有 和 人 这 中 大",
  "a Chinese phrase without blanks": "的一是在不了有和人这中大",
  "words of RFC 1751": "RASH BUSH MILK LOOK BAD BRIM AVID GAFF BAIT ROT POD LOVE",
  "secret numbers": "554872 394230 209376 323698 140250 387423 652803 258676",
  "WIF of bitcoin": `5${letters.slice(0, 50)}`,
  "WIF of bitcoin, compressed": `K${letters.slice(0, 51)}`,
  "WIF of bitcoin, compressed, L": `L${letters.slice(0, 51)}`,
  "WIF of litecoin": `6${letters.slice(0, 50)}`,
  "WIF of litecoin, compressed": `T${letters.slice(0, 51)}`,
  "WIF of dogecoin, compressed": `Q${letters.slice(0, 51)}`,
  "WIF of a test network": `c${letters.slice(0, 51)}`,
  "WIF of a test network, not compressed": `9${letters.slice(0, 50)}`,
  "WIF without its last character": `K${letters.slice(0, 50)}`,
  "WIF with a name": `wif: K${letters.slice(0, 51)}`,
  "BIP-38": `6P${letters.slice(0, 56)}`,
  ...Object.fromEntries(
    ["xprv", "yprv", "zprv", "Yprv", "Zprv", "tprv", "uprv", "vprv", "Ltpv", "Mtpv", "dgpv"].map((prefix) => [
      prefix,
      `${prefix}9s21ZrQH143K${letters.slice(0, 94)}`
    ])
  ),
  "a root key of cardano": `root_xsk1${bech32}`,
  "an account key of cardano": `acct_xsk1${bech32}`,
  "an address key of cardano": `addr_xsk1${bech32}`,
  "a key of cardano": `ed25519_sk1${bech32}`,
  "an extended key of cardano": `ed25519e_sk1${bech32}`,
  "a key of an earlier cardano": `xprv1${bech32}`,
  "a seed of ripple": "sn259rEFXrQrWyx3Q7XneWcwV6dfL",
  "a seed of ripple, ed25519": "sEdTM1uX8pu2do5XvTnutH6HsouMaM2",
  "a seed of stellar": `S${"A2B3C4D5E6F7".repeat(5).slice(0, 55)}`,
  "a key of sui": `suiprivkey1${bech32.slice(0, 59)}`,
  "a key of solana": letters.slice(0, 88),
  "a key of solana as numbers": `[${Array.from({ length: 64 }, (_, index) => (index * 37) % 256).join(",")}]`,
  "a key with its curve": `ed25519:${letters.slice(0, 88)}`,
  "16 bytes in hex": hex.slice(0, 32),
  "a seed in hex": hex + hex,
  "a file of a key": '{"crypto":{"cipher":"aes-128-ctr","ciphertext":"cb27fe860c96f269"},"version":3}',
  "a file of an earlier wallet": '{"Crypto":{"CipherText":"cb27fe860c96f269"},"version":1}',
  "a file of polkadot": '{"encoded":"MFMCAQEwBQYDK2Vw","encoding":{"type":["scrypt"]}}',
  "a labelled key": `PRIVATE_KEY=0x${hex}`,
  "a labelled key without 0x": `PRIVATE_KEY=${hex}`,
  "a labelled key with a colon": `key:0x${hex}`,
  "a labelled key with a blank": `key: "${hex}"`,
  "a key in JSON": `{"privateKey":"0x${hex}"}`,
  "a key beside an address in JSON": `{ "address": "${addresses[2]}", "privateKey": "0x${hex}" }`,
  "an exported key": `export PK="${hex}"`,
  "a key in a link": `https://x.example/?pk=0x${hex}`,
  "a descriptor": `wpkh(xprv9s21ZrQH143K${letters.slice(0, 92)}/84h/0h/0h/0/*)#cjjspncu`,
  "a key with its origin": `[d34db33f/84h/0h/0h]xprv9s21ZrQH143K${letters.slice(0, 92)}`,
  "a key with its path": `xprv9s21ZrQH143K${letters.slice(0, 92)}/84h/0h`,
  "a descriptor of WIF": `wpkh(K${letters.slice(0, 51)})`,
  "a keystore of sui": "AKwJdL7DmhfjakprtNI4/5RLrLR4y+1e/K54TXv08v+A",
  "a key of solana in base64": `${"rAl0vsOaF+Nrpqa00jj/lEustHjL7V78".repeat(3).slice(0, 86)}==`,
  "a signing key of cardano": `{"type":"PaymentSigningKeyShelley_ed25519","cborHex":"5820${hex}"}`,
  "WIF in two lines": `K${letters.slice(0, 35)}\n${letters.slice(35, 51)}`,
  "a key in groups": (hex.match(/.{16}/g) ?? []).join(" "),
  "a key in two lines": `${hex.slice(0, 40)}\n${hex.slice(40)}`,
  "bytes with colons": (hex.match(/../g) ?? []).join(":"),
  "a phrase with dots": words.join("·"),
  "a phrase with arrows": words.join(">"),
  "a phrase with stars": words.join("*"),
  "a mini key": "S6c56bnXQiYjk9mqSYE7ykVQ7NzrRy",
  PEM: "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA\n-----END PRIVATE KEY-----"
}

const signature = "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW"

/** Texts of 64 hex digits, and a signature of Solana. */
const hashes = [hex, `0x${hex}`, `0x${hex.toUpperCase()}`, ` ${hex} `, signature]

const base64 = `AQ${"Zx8+/q4kT/Jw1Lp9".repeat(12)}==`

/** The beginnings of signed transactions, with as many bytes as a transaction has. */
const signedTexts = [
  ...["0x02f8", "f86c", "01000000", "0200000000", "84a4", "1200", "0a02", "390284", "b5ee9c72"].map(
    (start) => `${start}${hex.repeat(3)}`
  ),
  base64,
  `te6cckEBAQEA${base64}`,
  letters.repeat(3).slice(0, 210),
  `{"bytes":"${base64}","signature":"${base64}"}`,
  `{"bytes":"${base64}","signatures":["${base64}"]}`
]

describe("the recognition of secrets", () => {
  for (const [name, text] of Object.entries(secrets))
    plain(`finds ${name}`, () => {
      assert.isTrue(isSecret(text))
      assert.isFalse(isSigned(text))
      assert.isTrue(isSecret(`${text}\n${addresses[1]}`) || /seed in hex|file|numbers|lines|groups|colons/.test(name))
    })

  plain("takes signed transactions for signed transactions, and secrets for secrets", () => {
    for (const text of signedTexts) assert.deepStrictEqual([isSigned(text), isSecret(text)], [true, false], text)
    // Pieces between the marks of base64, which are as short as words.
    assert.isFalse(isSecret(`AQ${"a".repeat(30)}${"+Word/pieces".repeat(12)}`))
    for (const text of [
      ...hashes,
      ...signedTexts.map((signed) => signed.slice(0, 100)),
      `5880${hex.repeat(4)}`,
      hex.repeat(3)
    ])
      assert.isFalse(isSigned(text), text)
    assert.isTrue(isSecret(`{"bytes":"${base64}","signature":"","phrase":"${words.join(" ")}"}`))
    assert.isTrue(isSecret(`${base64} ${words.join(" ")}`))
  })

  plain("takes no address, public key or hash for a secret", () => {
    const fine = [
      ...Catalogue.all.map((facts) => ("sampleAddress" in facts ? facts.sampleAddress : undefined)),
      ...addresses,
      `xpub6${letters.slice(0, 106)}`,
      `zpub6${letters.slice(0, 106)}`,
      `stake1${bech32.slice(0, 53)}`,
      `addr1${bech32.repeat(2).slice(0, 98)}`,
      "DdzFFzCqrhsszHTvbjTmYje5hehGbadkT6WgWbaqCy5XNxNttsPNF13eAjjBHYT7JaLJz2XVxiucam1EvwBRPSTiCrT4TNCBas4hfzic",
      "rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh",
      "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
      "0:8a8627861a5dd96c9db3ce0807b122da5ed473934ce7568a5b4b1c361cbb28ae",
      "bitcoin:bc1qrfr44n2j4czd5c9txwlnw0yj2h82x9566fglqj?amount=0.1",
      "vitalik.eth",
      ...hashes
    ].flatMap((text) => text ?? [])
    for (const text of fine) assert.isFalse(isSecret(text), text)
    for (const text of fine) assert.isFalse(isWord(text), text)
    assert.isFalse(isSecret(fine.join("\n")))
    assert.isFalse(isSecret(words.slice(1).join(" ")))
    // A search in the shown data may be for a hash.
    assert.isFalse(isSecret(letters.slice(0, 88), true))
    assert.isFalse(isHash(letters.slice(0, 88)))
    assert.isTrue(isSecret(words.join(" "), true))
    for (const text of hashes) assert.isTrue(isHash(text), text)
    // A digit too few or too many, and a byte before or after a key.
    for (const text of [
      hex.slice(1),
      `${hex}0`,
      `0x${hex.slice(1)}`,
      `ED${hex}`,
      `00${hex}`,
      `0x${hex}01`,
      `5820${hex}`
    ])
      assert.isTrue(isHash(text), text)
    assert.isFalse(isSigned(`f8${hex.repeat(3).slice(2)}`))
    for (const text of [hex.slice(5), hex.repeat(2), `0:${hex}`, addresses[2]]) assert.isFalse(isHash(text), text)
    for (const text of [...words, "1.abandon", "12.", "ab0ve", "élève", "的"]) assert.isTrue(isWord(text), text)
  })
})

describe("a text that is sent as an address", () => {
  plain("has the form of an address", () => {
    for (const text of [
      ...Catalogue.all.flatMap((facts) => ("sampleAddress" in facts ? (facts.sampleAddress ?? []) : [])),
      ...addresses,
      `xpub6${letters.replaceAll("0", "1").repeat(2).slice(0, 106)}`,
      `zpub6${letters.repeat(2).slice(0, 106)}`,
      `Ltub2${letters.repeat(2).slice(0, 106)}`,
      `stake1${bech32.slice(0, 53)}`,
      `addr1${bech32.repeat(2).slice(0, 98)}`,
      "DdzFFzCqrhsszHTvbjTmYje5hehGbadkT6WgWbaqCy5XNxNttsPNF13eAjjBHYT7JaLJz2XVxiucam1EvwBRPSTiCrT4TNCBas4hfzic",
      "Ae2tdPwUPEZFRbyhz3cpfC2CumGzNkFBN2L42rcUc2yjQpEkxDbkPodpMAi",
      "rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh",
      "X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ",
      "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
      "41a614f803b6fd780986a42c78ec9c7f77e6ded13c",
      "EQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqB2N",
      "0:8a8627861a5dd96c9db3ce0807b122da5ed473934ce7568a5b4b1c361cbb28ae",
      "qpplh0vyfn67cupcmhq4g2dt3s50rlarmclu9vnndt",
      "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM",
      "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY",
      `eth:${addresses[2]}`,
      `eip155:1:${addresses[2]}`
    ].filter((text) => !isHash(text)))
      assert.isTrue(isSendable(text), text)
  })

  plain("is no secret, no key with anything around it, and no other text", () => {
    for (const text of [...Object.values(secrets), ...hashes]) assert.isFalse(isSendable(text), text)
    for (const text of [
      ...[`(0x${hex})`, `=${hex}`, `x${hex}`, `${hex}z`, `0x${hex}?`, `${hex}${hex}${hex}`, `tx:${hex}`, hex.slice(16)],
      ...["rAl0vsOaF+Nrpqa00jj/lEustHjL7V78rnhNe/Ty/4A=", words.join(""), "secret=sn3nxiW7v8KXzPzAqzyHXbSSKNuN9", "-"]
    ])
      assert.isFalse(isSendable(text), text)
    assert.isFalse(isAddressLike(letters))
  })

  plain("leaves the URL if it is in another place", () => {
    const isRefused = (fragment: string) => !isOpenable(routeOf(fragment))
    const wif = `K${letters.slice(0, 51)}`
    for (const fragment of [
      ...[`#/tx/ethereum/wpkh(${wif})`, "#/tx/ethereum/abandon", `#/tx/${hex}/x`, `#/tx/ethereum/${hex.slice(1)}`],
      ...[`#/coin/ed${hex}`, `#/coin/${hex.slice(0, 50)}`, `#/network/ethereum,PRIVATE_KEY=0x${hex}`, `#/KEY=0x${hex}`]
    ])
      assert.isTrue(isRefused(fragment), fragment)
    const sui = "86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY"
    // Base58 has neither I nor O.
    for (const other of ["I", "O", "l"]) assert.isTrue(isRefused(`#/tx/sui/${other}${sui.slice(1)}`), other)
    for (const fragment of ["#/coin/usd-coin", `#/tx/ethereum/0x${hex}`, `#/tx/solana/${signature}`, `#/tx/sui/${sui}`])
      assert.isFalse(isRefused(fragment), fragment)
  })

  it.effect("is looked up as a transaction by a hash only", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const note = (name: string) => () => Promise.resolve(asked.push(name))
      const client = guarded({
        addresses: { lookUp: note("lookUp") },
        transactions: { byHash: note("byHash"), status: note("status"), replacement: note("replacement") }
      } as never)
      const asks = (hash: string) => [
        client.transactions.byHash("ethereum", hash),
        client.transactions.status({ networks: { ethereum: [hash] } }),
        client.transactions.replacement({ network: "ethereum", hash })
      ]
      yield* Effect.promise(() => Promise.allSettled(asks(`wpkh(K${letters.slice(0, 51)})`)))
      yield* Effect.promise(() => Promise.allSettled(asks("abandon")))
      assert.deepStrictEqual(asked, [])
      yield* Effect.promise(() => Promise.allSettled(asks(`0x${hex}`)))
      assert.deepStrictEqual(asked, ["byHash", "status", "replacement"])
    })
  )
})

/** A text in the browser that must be nowhere: whole or a part of it. The names of its members are no secrets. */
const partsOf = (text: string) =>
  text.replace(/["']?[\w-]+["']?\s*[=:]/g, " ").match(/[\p{L}\p{N}]{8,}|[\p{L}]{5,}/gu) ?? [text]

/** A tab on the first view, the requests of it since then, and steps that check what the page keeps of a secret. */
const guardedTab = Effect.gen(function* () {
  const url = yield* listening()
  const tab = yield* (yield* Browser).open(url, "/", { reducedMotion: "reduce" })
  const { page } = tab
  yield* finds(tab, ".live .spark path")
  const sent: Array<string> = []
  page.on("request", (request) =>
    sent.push(decodeURIComponent(`${request.url()} ${request.postData() ?? ""}`).replaceAll("+", " "))
  )
  /** Everything that the page keeps or shows. */
  const left = () =>
    does(() =>
      page.evaluate<string>(`[
        decodeURIComponent(location.href), document.title, document.documentElement.textContent,
        ...[...document.querySelectorAll("input, textarea")].map(({ value }) => value),
        JSON.stringify(localStorage), JSON.stringify(sessionStorage), JSON.stringify(history.state)
      ].join(" ")`)
    )
  const opens = (path: string) => does(() => page.evaluate(`location.hash = ${JSON.stringify(path)}`))
  /** Checks that the page says that it refused this text, and that no part of it is left or was sent. Closes the notice. */
  const isGone = (name: string, text: string) =>
    Effect.gen(function* () {
      yield* finds(tab, ".notices [role=alert]", "this looks like a recovery phrase, a private key or a seed")
      const rest = `${yield* left()} ${sent.join(" ")}`
      for (const part of partsOf(text)) assert.notInclude(rest, part, name)
      assert.deepStrictEqual(
        sent.filter((request) => /\/(address|balance|history|utils\/transaction-context)/.test(request)),
        [],
        name
      )
      yield* does(() => page.getByRole("button", { name: "Close this notice" }).press("Enter"))
      yield* does(() => page.locator(".notices").waitFor({ state: "detached" }))
    })
  return { tab, url, isGone, opens }
})

describe.skipIf(isMissing("chromium"))("a secret in the page", () => {
  layer(Browser.layer, { excludeTestServices: true })((it) => {
    it.scoped(
      "is refused, erased and never sent, in each form",
      () =>
        Effect.gen(function* () {
          const { isGone, opens, tab, url } = yield* guardedTab
          for (const [name, secret] of Object.entries(secrets)) {
            const text = secret.replace(addresses[0], "")
            yield* does(() => tab.page.locator("#addresses").focus())
            yield* does(() => tab.page.keyboard.insertText(secret))
            yield* isGone(name, text)
            yield* opens(`#/history/${encodeURIComponent(secret)}`)
            yield* isGone(`${name}, in the URL`, text)
            assert.strictEqual(tab.page.url(), `${url}/#/`)
          }
          assert.deepStrictEqual(tab.faults, [])
        }),
      600_000
    )

    it.scoped(
      "is refused when it is typed word by word, and in every field",
      () =>
        Effect.gen(function* () {
          const { isGone, opens, tab } = yield* guardedTab
          const { page } = tab
          // No word is looked up before the phrase is known, and no later word stays.
          yield* does(() => page.locator("#addresses").pressSequentially(`${[...words, "zebra zoo"].join(" ")} `))
          yield* isGone("a typed phrase", `${words.join(" ")} zebra`)
          assert.strictEqual(yield* does(() => page.locator(".chip").count()), 0)
          yield* opens("#/abandon,ability")
          yield* finds(tab, ".remarks", "fits no network")
          for (const path of ["#/coin", "#/network/bitcoin", "#/tx", "#/"]) {
            yield* opens(path)
            const field = page.locator("main input, main textarea").first()
            yield* does(() => field.waitFor({ state: "attached" }))
            yield* does(() =>
              page.evaluate('document.querySelectorAll("main details").forEach((part) => { part.open = true })')
            )
            for (const name of ["a phrase", "WIF of bitcoin", "xprv"]) {
              const text = secrets[name] ?? ""
              yield* does(() => field.fill(text))
              yield* isGone(`${name} in ${path}`, text)
              yield* does(() =>
                page.evaluate(`{
                  const clipboardData = new DataTransfer()
                  clipboardData.setData("text", ${JSON.stringify(text)})
                  const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true })
                  document.querySelector("main input, main textarea").dispatchEvent(event)
                }`)
              )
              yield* isGone(`${name} pasted in ${path}`, text)
            }
          }
          assert.deepStrictEqual(tab.faults, [])
        }),
      600_000
    )

    it.scoped(
      "is erased from what an earlier version has stored",
      () =>
        Effect.gen(function* () {
          const { tab } = yield* guardedTab
          const { page } = tab
          const wallets = JSON.stringify([[secrets.xprv], [`0x${hex}`], words, [addresses[0]]])
          yield* does(() => page.evaluate(`localStorage.setItem("wallet-data-recent", ${JSON.stringify(wallets)})`))
          yield* does(() => page.reload())
          yield* finds(tab, ".recent", "bc1qrfr4…6fglqj")
          assert.strictEqual(
            yield* does(() => page.evaluate("localStorage.getItem('wallet-data-recent')")),
            JSON.stringify([[addresses[0]]])
          )
          assert.deepStrictEqual(tab.faults, [])
        }),
      600_000
    )

    it.scoped(
      "may be 64 hex digits: they are sent only after a second click",
      () =>
        Effect.gen(function* () {
          const url = yield* listening()
          const tab = yield* (yield* Browser).open(url, `/#/0x${hex}`, { reducedMotion: "reduce" })
          const { page, violations } = tab
          const sent: Array<string> = []
          page.on("request", (request) => sent.push(`${request.url()} ${request.postData() ?? ""}`))
          const says = "64 hex digits, or a signature, are the hash of a transaction first"
          yield* finds(tab, ".notices [role=alert]", says)
          assert.strictEqual(page.url(), `${url}/#/`)
          yield* does(() => page.setViewportSize({ width: 320, height: 844 }))
          assert.strictEqual(yield* does(() => page.evaluate("document.documentElement.scrollWidth")), 320)
          assert.deepStrictEqual(yield* violations, [])
          yield* does(() => page.locator("#addresses").fill(hex))
          yield* does(() => page.locator("#addresses").press("Enter"))
          yield* finds(tab, ".chip", "a hash or a key, not sent")
          yield* finds(tab, ".notices [role=alert]", says)
          assert.deepStrictEqual(
            sent.filter((request) => request.includes(hex)),
            []
          )
          yield* does(() => page.getByRole("button", { name: "It is an address" }).click())
          yield* finds(tab, "[role=status]", /^Done: /)
          assert.strictEqual(page.url(), `${url}/#/${hex}`)
          assert.isNotEmpty(sent.filter((request) => request.includes(`/address/${hex}`)))
          assert.notInclude(yield* does(() => page.evaluate<string>("JSON.stringify(localStorage)")), hex)
          assert.deepStrictEqual(tab.faults, [])
        }),
      600_000
    )
  })
})
