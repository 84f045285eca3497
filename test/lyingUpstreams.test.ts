import * as Effect from "effect/Effect"
import * as Catalogue from "../src/catalogue/Catalogue.ts"
import { numberOf } from "../src/domain/units.ts"
import { samples } from "./chains/families/samples.ts"
import { body, Service, textOf } from "./support/app.ts"
import { rewritingSandbox } from "./support/lies.ts"
import { timeLies } from "./support/lyingRoutes.ts"
import { assert, describe, it } from "./support/vitest.ts"

// The responses of the routes when all upstreams return the same lie.

interface Entry {
  readonly timestamp: number
  readonly status: string
}
interface Histories {
  readonly data: Readonly<Record<string, Readonly<Record<string, ReadonlyArray<Entry>>>>>
  readonly meta: Readonly<
    Record<string, Readonly<Record<string, { readonly complete: boolean; readonly missing: ReadonlyArray<string> }>>>
  >
}

/** The networks whose histories need no key, one of each family. */
const families = ["ethereum", "bitcoin", "cardano", "solana", "sui", "ton", "tron", "ripple"]
const networks = Catalogue.all.filter(({ id }) => families.includes(id))
const addresses = Object.fromEntries(networks.map((facts) => [facts.id as string, samples(facts, 1, 1)]))

interface Row {
  readonly balance: string | null
  readonly holderAddress: string
  readonly contractAddress: string | null
  readonly breakdown?: Readonly<Record<string, string | null>>
}

const keyOf = ({ contractAddress, holderAddress }: Row) => `${holderAddress} ${contractAddress}`

/** The same value with larger amounts: texts get another leading digit, numbers are tripled. */
const increased = (value: unknown): unknown => {
  if (typeof value === "string" && /^\d{3,40}$|^\d{1,20}\.\d{1,20}$/.test(value)) return `1${value}`
  if (typeof value === "number" && Number.isInteger(value) && value > 1_000) return value * 3
  if (Array.isArray(value)) return value.map(increased)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, increased(member)]))
}

/** The same response with every list's rows repeated with other amounts. */
const withRowsTwice = (value: unknown): unknown => {
  if (Array.isArray(value)) return [...value.map(withRowsTwice), ...value.map(increased)]
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withRowsTwice(member)]))
}

interface DoubledRows {
  readonly network: string
  /** The responses whose lists get repeated rows. */
  readonly at: RegExp
  readonly environment?: Readonly<Record<string, string>>
  /** False if no other source has the balance. */
  readonly isRead?: boolean
}

const blockfrost = { BLOCKFROST_PROJECT_ID: "k" }

const doubledRows: ReadonlyArray<DoubledRows> = [
  ...["bitcoin", "litecoin", "bch", "dogecoin"].map((network) => ({ network, at: /^/ })),
  ...["cardano", "sui", "ton", "polkadot"].map((network) => ({ network, at: /^/, isRead: false })),
  { network: "cardano", at: /^/, environment: blockfrost, isRead: false },
  { network: "solana", at: /^getTokenAccountsByOwner/, isRead: false },
  { network: "solana", at: /^getProgramAccounts/ },
  { network: "tron", at: /^/ },
  { network: "ripple", at: /^/, isRead: false }
]

describe("upstreams that return", () => {
  it.scopedLive("addresses with invalid characters leave the parties unknown", function* () {
    const { layer, rewriting } = rewritingSandbox(networks)
    rewriting.lies = [{ at: /^account_tx.*\.tx\.Destination$/, value: "r\ufffd\u009b31m" }]
    const response = yield* Effect.flatMap(Service, ({ post }) =>
      post("/history", { networks: { ripple: addresses.ripple }, limit: 5 })
    ).pipe(Effect.provide(Service.layer({}, layer)))
    assert.isAbove(rewriting.replaced, 0)
    assert.notMatch(yield* textOf(response), /[\ufffd\x80-\x9f]|ufffd|u009b/)
  })

  for (const { lies, name } of timeLies)
    it.scopedLive(`${name} lose the transactions with them, and the history is reported as incomplete`, function* () {
      const { layer, rewriting } = rewritingSandbox(networks)
      rewriting.lies = lies
      const response = yield* Effect.flatMap(Service, ({ post }) =>
        post("/history", { networks: addresses, limit: 5, meta: true })
      ).pipe(Effect.provide(Service.layer({}, layer)))
      const { data, meta } = yield* body<Histories>(response)
      const now = Date.now() / 1000
      for (const { genesisTime, id } of networks)
        for (const address of addresses[id] ?? []) {
          for (const { timestamp } of data[id]?.[address] ?? [])
            assert.isTrue(timestamp >= numberOf(genesisTime) && timestamp <= now + 7_200, `${id}: ${timestamp}`)
          assert.isFalse(meta[id]?.[address]?.complete ?? false, `${id}: ${JSON.stringify(meta[id]?.[address])}`)
        }
    })

  it.scopedLive.each(doubledRows)(
    "a row twice with different amounts leave its balance null or to another source: $network, $at",
    (doubled) =>
      Effect.gen(function* () {
        const { at, environment = {}, isRead = true, network } = doubled
        const facts = Catalogue.all.filter(({ id }) => id === network)
        const { layer, rewriting } = rewritingSandbox(facts)
        const networksOf = { [network]: facts.flatMap((one) => samples(one, 3, 1)) }
        const balances = (lies: typeof rewriting.lies) => {
          rewriting.lies = lies
          return Effect.flatMap(Service, ({ post }) => post("/balance?detail=true", { networks: networksOf })).pipe(
            Effect.flatMap((response) => body<ReadonlyArray<Row>>(response)),
            Effect.provide(Service.layer(environment, layer))
          )
        }
        const right = new Map((yield* balances([])).map((row) => [keyOf(row), row]))
        assert.isNotEmpty([...right.values()].filter(({ balance }) => balance !== null && balance !== "0"))
        const returned = yield* balances([{ at, value: withRowsTwice }])
        assert.isAbove(rewriting.replaced, 0)
        for (const row of returned) {
          const { balance, breakdown = {} } = right.get(keyOf(row)) ?? assert.fail(`an unexpected row: ${keyOf(row)}`)
          assert.include([null, balance], row.balance)
          for (const [part, amount] of Object.entries(row.breakdown ?? {}))
            if (!part.startsWith("error")) assert.include([null, breakdown[part]], amount)
        }
        const read = new Map(returned.map((row) => [keyOf(row), row.balance]))
        assert.strictEqual(
          [...right].every(([key, { balance }]) => read.get(key) === balance),
          isRead
        )
      })
  )
})
