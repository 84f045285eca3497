import { assert, describe, layer } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { HistoryEntry } from "../../src/contract/HistoryApi.ts"
import type { TransactionContext } from "../../src/domain/TransactionContext.ts"
import { isSecret, isSigned } from "../../src/page/state/secrets.ts"
import { Browser, listening, type Tab } from "../support/browser.ts"
import { evmSigner, type Payment, type Signer, signers, witnessSigner } from "../support/signers.ts"
import { isAll } from "../support/tier.ts"
import { isMissing } from "../support/tools.ts"
import { layoutFaults } from "./layout.ts"
import { does, finds } from "./steps.ts"

/** Sui executes at once; the others within this time, ms. After the second time every network is final. */
const [blockTime, finality] = [700_000, 172_800_000]

/** Names of networks that the page requires, because the bytes fit several. */
const asked: Readonly<Record<string, string>> = { bitcoin: "Bitcoin" }

/** A service over the sandbox on a clock that only the test advances, and a tab that looks again only when the test says so. */
class Wallet extends Context.Tag("test/page/transaction/Wallet")<
  Wallet,
  {
    readonly tab: Tab
    readonly url: string
    /** Paths and bodies of the requests so far. */
    readonly sent: Array<string>
    readonly pass: (milliseconds: number) => Effect.Effect<void>
    readonly post: <A>(path: string, body: unknown) => Effect.Effect<A>
  }
>() {
  static readonly layer = Layer.scoped(
    Wallet,
    Effect.gen(function* () {
      let ahead = 0
      const real = Clock.make()
      const start = real.unsafeCurrentTimeMillis()
      const now = () => start + ahead
      const clock: Clock.Clock = {
        [Clock.ClockTypeId]: Clock.ClockTypeId,
        unsafeCurrentTimeMillis: now,
        unsafeCurrentTimeNanos: () => BigInt(now()) * 1_000_000n,
        currentTimeMillis: Effect.sync(now),
        currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
        sleep: (duration) => real.sleep(duration)
      }
      const url = yield* Effect.withClock(listening({ SUBSCAN_API_KEY: "key" }), clock)
      const tab = yield* (yield* Browser).open(url, "/favicon.ico", {
        reducedMotion: "reduce",
        viewport: { width: 390, height: 844 }
      })
      yield* does(() => tab.page.addInitScript(looksOnCommand))
      const sent: Array<string> = []
      tab.page.on("request", (request) => sent.push(`${new URL(request.url()).pathname} ${request.postData() ?? ""}`))
      return {
        tab,
        url,
        sent,
        pass: (milliseconds: number) =>
          Effect.zipRight(
            Effect.sync(() => {
              ahead += milliseconds
            }),
            does(() => tab.page.evaluate("look()"))
          ),
        post: <A>(path: string, data: unknown) =>
          does(async () => {
            const response = await tab.page.request.post(url + path, { data })
            return (await response.json()) as A
          })
      }
    })
  )
}

/** The timers after which the page reads a transaction again run when the test calls `look`. */
const looksOnCommand = `{
  const start = setTimeout
  let waiting = []
  window.setTimeout = (run, time, ...rest) =>
    [4_000, 15_000, 60_000].includes(time) ? waiting.push(run) : start(run, time, ...rest)
  window.look = () => {
    const now = waiting
    waiting = []
    for (const run of now) run()
  }
}`

/** Opens a view; the first one loads the page. */
const opens = ({ page }: Tab, path: string) =>
  does(() =>
    page.url().endsWith(".ico")
      ? page.goto(page.url().replace("favicon.ico", path))
      : page.evaluate(`location.hash = ${JSON.stringify(path)}`)
  )

const button = ({ page }: Tab, name: string | RegExp) => does(() => page.getByRole("button", { name }).click())

/** Enters a text in the field for transactions. */
const enters = (tab: Tab, text: string) =>
  Effect.gen(function* () {
    yield* opens(tab, "#/")
    yield* opens(tab, "#/tx")
    yield* does(() => tab.page.locator("#transaction").fill(text))
    yield* button(tab, "Check")
  })

/** The form that the service takes. */
const formOf = (network: string, { raw }: Payment): string => {
  if (network !== "sui") return raw
  const [bytes, [signature]] = JSON.parse(raw)
  return JSON.stringify({ bytes, signature })
}

const contextOf = (network: string, address: string) =>
  Effect.gen(function* () {
    const { post } = yield* Wallet
    const answer = yield* post<Record<string, Record<string, { readonly context: TransactionContext | null }>>>(
      "/utils/transaction-context",
      { networks: { [network]: [address] } }
    )
    return (answer[network]?.[address]?.context ?? assert.fail(JSON.stringify(answer))) as never
  })

/** Enters a signed transaction, and looks at what it would do. */
const checks = (network: string, payment: Payment) =>
  Effect.gen(function* () {
    const { tab } = yield* Wallet
    yield* enters(tab, formOf(network, payment))
    const name = asked[network]
    if (name !== undefined)
      yield* does(() => tab.page.getByLabel("It fits several networks").selectOption({ label: name }))
    yield* finds(tab, "h2", "Signed transaction")
  })

/** Sends it with a second click. */
const sends = Effect.gen(function* () {
  const { sent, tab } = yield* Wallet
  const count = () => sent.filter((request) => request.startsWith("/transactions/send")).length
  const before = count()
  yield* button(tab, "Send …")
  yield* finds(tab, ".symbol", "This cannot be undone")
  assert.strictEqual(count(), before)
  yield* button(tab, "Send now")
})

const state = (tab: Tab, name: string) => finds(tab, `.tx-state.${name}`)

/** Checks the layout at the narrowest width and a wide one, and the accessibility in both themes. */
const fits = ({ contrast, page, violations }: Tab, of: string) =>
  Effect.gen(function* () {
    for (const width of [320, 1440]) {
      yield* does(() => page.setViewportSize({ width, height: 844 }))
      assert.deepStrictEqual(yield* does(() => page.evaluate(layoutFaults)), [], `${of} at ${width} px`)
    }
    yield* does(() => page.setViewportSize({ width: 390, height: 844 }))
    assert.deepStrictEqual(yield* violations, [], of)
    yield* does(() => page.emulateMedia({ colorScheme: "dark" }))
    assert.deepStrictEqual(yield* contrast, [], `${of}, dark`)
    yield* does(() => page.emulateMedia({ colorScheme: "light" }))
  })

/** Replaces a pending payment by a transaction to its sender, which pays what the page says, and follows the payment. */
const replaces = (network: string, fact: string, sign: (least: never, context: never) => Promise<Payment>) =>
  Effect.gen(function* () {
    const { pass, post, tab } = yield* Wallet
    const signer: Signer = yield* Effect.promise(async () => signers[network]?.() ?? assert.fail(network))
    const context = yield* contextOf(network, signer.sender)
    const { hash, raw } = yield* Effect.promise(() => signer.pay(context))
    assert.deepInclude(yield* post("/transactions/send", { network, transaction: raw }), { accepted: true })
    yield* opens(tab, `#/tx/${network}/${hash}`)
    yield* finds(tab, "dt", fact)
    yield* finds(tab, "section dl", /Cost of cancelling it[\d.]+ (ETH|BTC) ≈ \$/)
    if (network === "ethereum") yield* fits(tab, "a pending payment")
    const least = yield* post<never>("/transactions/replacement", { network, hash })
    yield* checks(network, yield* Effect.promise(() => sign(least, context)))
    yield* sends
    yield* state(tab, "pending")
    yield* opens(tab, `#/tx/${network}/${hash}`)
    yield* finds(tab, ".tx-state")
    yield* pass(blockTime)
    yield* state(tab, "replaced")
    assert.deepStrictEqual(tab.faults, [])
  })

type Least = { readonly minimum: Readonly<Record<string, string>>; readonly transfer: Readonly<Record<string, string>> }

/** Networks on which a payment can be replaced: a fact of the least fee, and how the payment is cancelled. */
const replacing = {
  ethereum: [
    "Max fee per gas",
    ({ minimum, transfer }: Least) =>
      evmSigner("ethereum").cancel({
        nonce: Number(minimum.nonce),
        gas: BigInt(transfer.gas ?? ""),
        maxFeePerGas: BigInt(minimum.maxFeePerGasWei ?? ""),
        maxPriorityFeePerGas: BigInt(minimum.maxPriorityFeePerGasWei ?? "")
      })
  ],
  bitcoin: [
    "Lowest fee rate",
    async ({ transfer }: Least, context: never) =>
      witnessSigner("bitcoin").cancel(context, BigInt(transfer.feeBaseUnits ?? ""))
  ]
} as const

const timeout = 600_000

describe.skipIf(isMissing("chromium"))("the page of a transaction", () => {
  layer(Layer.provideMerge(Wallet.layer, Browser.layer), { excludeTestServices: true })((it) => {
    // Of the nine families, those whose view differs most; all of them in the second tier.
    const flows = Object.entries(signers).filter(
      ([network]) => isAll || ["ethereum", "bitcoin", "sui"].includes(network)
    )
    for (const [network, signerOf] of flows)
      it.effect(
        `follows a payment from its signature to the end, and finds one that failed: ${network}`,
        () =>
          Effect.gen(function* () {
            const { pass, post, tab, url } = yield* Wallet
            const signer: Signer = yield* Effect.promise(async () => signerOf())
            const { pay, recipient, sender, sentStatus } = signer
            const context = yield* contextOf(network, sender)
            const payment = yield* Effect.promise(() => pay(context))
            const text = formOf(network, payment)
            assert.deepStrictEqual([isSigned(text), isSecret(text)], [true, false])
            yield* checks(network, payment)
            yield* finds(tab, ".parties", recipient)
            yield* finds(
              tab,
              ".panel p",
              network === "ethereum"
                ? "The call itself works in the newest block: it needs 21,000 of its limit of 21,000 gas."
                : "EVM networks only"
            )
            if (network === "ethereum") yield* fits(tab, "a signed transaction")
            yield* sends
            yield* finds(tab, `.tx-state${sentStatus === undefined ? ".pending" : ""}`)
            assert.strictEqual(tab.page.url(), `${url}/#/tx/${network}/${payment.hash}`)
            yield* pass(blockTime)
            yield* finds(tab, ".tx-state:is(.confirmed, .final)")
            yield* pass(finality)
            yield* state(tab, "final")
            yield* finds(tab, ".parties", recipient)
            if (network === "ethereum") yield* fits(tab, "a final payment")

            const history = yield* post<Record<string, Record<string, ReadonlyArray<HistoryEntry>>>>("/history", {
              networks: { [network]: [sender, recipient] }
            })
            const entries = Object.values(history[network] ?? {}).flat()
            const failed = entries.find(({ status }) => status === "Failed")
            // Nothing fails in a block of the Bitcoin family.
            assert.strictEqual(failed === undefined, network === "bitcoin")
            if (failed !== undefined) {
              yield* opens(tab, `#/tx/${network}/${encodeURIComponent(failed.hash)}`)
              yield* state(tab, "failed")
            }
            assert.deepStrictEqual(tab.faults, [])
          }),
        timeout
      )

    for (const [network, [fact, sign]] of Object.entries(replacing))
      it.effect(
        `says what a replacement must pay, and that it took the place of a payment: ${network}`,
        () => replaces(network, fact, sign as never),
        timeout
      )

    it.effect(
      "finds a hash on the network that has it, after a second click if it may be a key",
      () =>
        Effect.gen(function* () {
          const { post, sent, tab, url } = yield* Wallet
          const { page } = tab
          yield* opens(tab, "#/tx")
          // Forgets which hashes were opened.
          yield* does(() => page.reload())
          sent.length = 0
          for (const network of ["ethereum", "solana", "sui"]) {
            const { pay, sender } = yield* Effect.promise(async () => signers[network]?.() ?? assert.fail(network))
            const context = yield* contextOf(network, sender)
            const payment = yield* Effect.promise(() => pay(context))
            yield* post("/transactions/send", { network, transaction: formOf(network, payment) })
            const { hash } = payment
            yield* enters(tab, hash)
            if (network !== "sui") {
              yield* finds(tab, ".notices [role=alert]", "a private key looks the same")
              assert.deepStrictEqual(
                sent.filter((request) => request.includes(hash)),
                []
              )
              yield* button(tab, "Look up the transaction")
            }
            yield* finds(tab, ".tx-state")
            assert.strictEqual(page.url(), `${url}/#/tx/${network}/${hash}`)
          }
          const nowhere = `0x${"5c".repeat(32)}`
          yield* enters(tab, `https://etherscan.io/tx/${nowhere}`)
          yield* finds(tab, "main", /Not found: the sources responded and do not have it, on Ethereum, /)
          for (const [text, problem] of [
            ["hello-world", "This is neither the hash of a transaction nor a signed transaction."],
            [`0xf8${"00".repeat(100)}`, "Ethereum: "]
          ] as const) {
            yield* enters(tab, text)
            yield* finds(tab, "main .problem", problem)
          }
          yield* fits(tab, "no transaction")
          assert.deepStrictEqual(tab.faults, [])
        }),
      timeout
    )

    it.effect(
      "opens from an entry of the activity, and from a signed transaction in the field for addresses",
      () =>
        Effect.gen(function* () {
          const { sent, tab, url } = yield* Wallet
          const { page } = tab
          const { sender } = evmSigner("ethereum")
          yield* opens(tab, `#/history/${sender}`)
          yield* finds(tab, ".entry")
          yield* does(() => page.locator(".entry summary").first().click())
          yield* does(() => page.locator(".entry a.code").first().click())
          yield* finds(tab, ".tx-state")
          assert.match(page.url(), /#\/tx\/[a-z]+\/0x[\da-f]{64}$/)

          // A payment that was sent already: its number is used.
          const signer = evmSigner("ethereum")
          const context = yield* contextOf("ethereum", sender)
          const { raw } = yield* Effect.promise(() => signer.pay(context, "sequence"))
          yield* opens(tab, "#/")
          yield* finds(tab, "#addresses")
          yield* does(() => page.locator("#addresses").fill(raw))
          yield* does(() => page.locator("#addresses").press("Enter"))
          yield* finds(tab, "h2", "Signed transaction · Ethereum")
          assert.strictEqual(page.url(), `${url}/#/tx`)
          assert.deepStrictEqual(
            sent.filter((request) => request.startsWith(`/address/${raw.slice(0, 9)}`)),
            []
          )
          yield* sends
          yield* finds(tab, "main [role=alert]", "another transaction of the account has used its number")
          yield* fits(tab, "a refused transaction")

          // Without a decision the page does not offer to send it again.
          yield* does(() => page.route("**/transactions/send", (route) => route.abort()))
          yield* sends
          yield* finds(tab, "main [role=alert]", "It may have arrived.")
          assert.strictEqual(yield* does(() => page.getByRole("button", { name: "Send …" }).count()), 0)
          yield* does(() => page.unroute("**/transactions/send"))
          assert.deepStrictEqual(tab.faults, [])
        }),
      timeout
    )
  })
})
