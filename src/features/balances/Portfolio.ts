import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Chains } from "../../chains/Chains.ts"
import type { TokenBalance } from "../../domain/Balance.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { TokenRegistry } from "../../providers/TokenRegistry.ts"
import type { SettingError, Settings } from "../../settings/Settings.ts"
import { requestDeadline } from "../../settings/variables.ts"
import type { Store } from "../../storage/Store.ts"
import { ContractPrices } from "../prices/ContractPrices.ts"
import { ExchangeRates } from "../prices/currencies/ExchangeRates.ts"
import { Pricing } from "../prices/Pricing.ts"
import type { RequestedNetworks } from "../reading.ts"
import { streamEach, unknownNetworks } from "../reading.ts"
import { judging } from "../tokens/verdict.ts"
import type { BalanceOptions, Balances, Omission } from "./Balances.ts"
import * as LastBalances from "./LastBalances.ts"
import { type AddressRead, group, rowCounter } from "./readAddresses.ts"
import { makeValuation, valuingAsset } from "./valuing.ts"

/** The assets of addresses and their value. */
export class Portfolio extends Context.Tag("features/balances/Portfolio")<
  Portfolio,
  {
    /**
     * One NATIVE row for every address of a supported network, and rows for its tokens, in the order of the request.
     * Cannot fail and ends before the deadline: a number that is not available is null with a reason.
     */
    readonly balances: (wanted: RequestedNetworks, options?: BalanceOptions) => Effect.Effect<Balances>
    /** Same as `balances`, as a stream of networks, fastest first. */
    readonly stream: (wanted: RequestedNetworks, options?: BalanceOptions) => Stream.Stream<Balances>
    /** One asset of one address; without a token, the native coin. `none` if the network is not supported. */
    readonly token: (
      network: string,
      address: string,
      token: Option.Option<string>,
      options?: BalanceOptions
    ) => Effect.Effect<Option.Option<TokenBalance>>
  }
>() {
  static readonly layer: Layer.Layer<
    Portfolio,
    SettingError,
    Chains | ContractPrices | ExchangeRates | Pricing | Settings | Store | TokenRegistry
  > = Layer.scoped(
    Portfolio,
    Effect.gen(function* () {
      const networks = yield* Chains
      const tools = {
        pricing: yield* Pricing,
        rates: yield* ExchangeRates,
        last: yield* LastBalances.make,
        count: rowCounter(networks.facts),
        deadline: Deadline.make(yield* requestDeadline),
        contractPrices: (yield* ContractPrices).of,
        judge: judging(yield* TokenRegistry, networks.facts)
      }
      const valued = makeValuation(tools)
      const single = valuingAsset(tools)
      const unknown = unknownNetworks(networks.facts)

      return {
        balances: Effect.fnUntraced(function* (wanted, options) {
          const find = yield* networks.named(Object.keys(wanted))
          const groups = group(wanted, find)
          const reads = yield* valued(groups, options)
          const rows = new Map(reads.map((read) => [`${read.network.facts.id} ${read.text}`, read.rows]))
          return {
            rows: Object.entries(wanted).flatMap(([name, texts]) =>
              Option.match(find(name), {
                onNone: () => [],
                onSome: ({ facts: info }) => texts.flatMap((text) => rows.get(`${info.id} ${text}`) ?? [])
              })
            ),
            omissions: [...unknown(Object.keys(wanted)), ...omissionsOf(reads)]
          }
        }, span("Portfolio.balances")),
        stream: (wanted, options) => {
          const skipped = unknown(Object.keys(wanted))
          const first = skipped.length === 0 ? [] : [{ rows: [], omissions: skipped }]
          const read = streamEach(
            Effect.map(networks.named(Object.keys(wanted)), (find) => group(wanted, find)),
            (part) =>
              Effect.map(valued([part], options), (reads) => {
                const rows = new Map(reads.map((read) => [read.text, read.rows]))
                return { rows: part.requested.flatMap((text) => rows.get(text) ?? []), omissions: omissionsOf(reads) }
              })
          )
          return Stream.concat(Stream.fromIterable(first), read)
        },
        token: Effect.fnUntraced(function* (name, text, token, options) {
          const found = yield* networks.find(name)
          if (Option.isNone(found)) return Option.none()
          const { meansNative } = found.value
          return Option.some(
            yield* single(
              found.value,
              text,
              Option.filter(token, (text) => meansNative?.(text) !== true),
              options
            )
          )
        }, span("Portfolio.token"))
      }
    })
  )
}

const omissionsOf = (reads: ReadonlyArray<AddressRead>): ReadonlyArray<Omission> => [
  ...new Map(
    reads.flatMap(({ missing, network: { facts: info } }) =>
      missing === undefined
        ? []
        : [[info.id, { network: info.id, message: missing.message, errorCode: missing.reason }] as const]
    )
  ).values()
]
