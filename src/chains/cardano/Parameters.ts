import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { cardano } from "../../catalogue/cardano.ts"
import { Height, now, Seconds, Slot, shift, toSeconds } from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import * as Sources from "../../upstream/Sources.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { EpochJson, ProtocolParameters } from "../Chain.ts"
import { isWithin, uint64 } from "../kit/holdings/amounts.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { maxAhead, requireCurrent, requireHeight } from "../kit/status/currentHead.ts"
import { Hash } from "./formats.ts"
import { type CardanoProvider, unanswered } from "./Provider.ts"
import { epochAt, timeOf } from "./slots.ts"

// Protocol parameters and newest blocks in Blockfrost's format (`/epochs/latest/parameters`, `/blocks/latest`). Each
// number is in the range of the ledger's encoding (cardano-ledger, conway.cddl).

const upTo = (most: number) => Schema.Int.pipe(Schema.between(0, most))
const digits = (most: bigint) =>
  Schema.String.pipe(
    Schema.pattern(/^\d{1,25}$/),
    Schema.filter((text) => isWithin(most)(BigInt(text)))
  )
const [uint16, uint32] = [2 ** 16 - 1, 2 ** 32 - 1]

const Coins = digits(cardano.supply)
const ScriptUnits = digits(2n ** 63n - 1n)
const Small = digits(BigInt(uint32))
const Share = Schema.Number.pipe(Schema.between(0, 1))
/** The ledger limits it only to positive numbers; the largest is 15. */
const Ratio = Schema.Number.pipe(Schema.between(0, 10_000))

/** Parameters that no transaction needs may be missing, such as those of governance in past epochs. */
const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.NullishOr(schema)

/** Members with the same schema. */
export const alike = <const Name extends string, A>(names: ReadonlyArray<Name>, schema: A) =>
  Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, A>

/** Conway's governance parameters: shares, and digits. */
export const thresholds = [
  "pvt_motion_no_confidence",
  "pvt_committee_normal",
  "pvt_committee_no_confidence",
  "pvt_hard_fork_initiation",
  "dvt_motion_no_confidence",
  "dvt_committee_normal",
  "dvt_committee_no_confidence",
  "dvt_update_to_constitution",
  "dvt_hard_fork_initiation",
  "dvt_p_p_network_group",
  "dvt_p_p_economic_group",
  "dvt_p_p_technical_group",
  "dvt_p_p_gov_group",
  "dvt_treasury_withdrawal",
  "pvtpp_security_group"
] as const
const lengths = ["committee_min_size", "committee_max_term_length", "gov_action_lifetime", "drep_activity"] as const
const deposits = ["gov_action_deposit", "drep_deposit"] as const
export const quantities = [...lengths, ...deposits] as const

/** Positive, and at most what a transfer ever costs. */
const Rate = Schema.Int.pipe(Schema.between(1, Number(cardano.maxTransferFee)))

/** The fields of the formula of a fee. */
export const formula = { min_fee_a: Rate, min_fee_b: Rate }

export const Parameters = Schema.Struct({
  ...formula,
  epoch: upTo(uint32),
  max_block_size: optional(upTo(uint32)),
  max_tx_size: upTo(uint32),
  max_block_header_size: optional(upTo(uint16)),
  key_deposit: Coins,
  pool_deposit: Coins,
  e_max: optional(upTo(uint32)),
  n_opt: optional(upTo(uint16)),
  a0: optional(Ratio),
  rho: optional(Share),
  tau: optional(Share),
  decentralisation_param: optional(Share),
  protocol_major_ver: upTo(uint16),
  protocol_minor_ver: optional(upTo(uint16)),
  min_utxo: optional(Coins),
  min_pool_cost: optional(Coins),
  price_mem: Ratio,
  price_step: Ratio,
  max_tx_ex_mem: ScriptUnits,
  max_tx_ex_steps: ScriptUnits,
  max_block_ex_mem: optional(ScriptUnits),
  max_block_ex_steps: optional(ScriptUnits),
  max_val_size: Small,
  collateral_percent: upTo(uint16),
  max_collateral_inputs: upTo(uint16),
  coins_per_utxo_size: Coins,
  coins_per_utxo_word: optional(Coins),
  min_fee_ref_script_cost_per_byte: optional(Ratio),
  pvt_p_p_security_group: optional(Share),
  ...alike(thresholds, optional(Share)),
  ...alike(lengths, optional(Small)),
  ...alike(deposits, optional(Coins))
})

export const Block = Schema.Struct({
  time: Schema.compose(Schema.NonNegativeInt, Seconds),
  height: Schema.compose(Schema.NonNegativeInt, Height),
  hash: Hash,
  slot: Schema.compose(Schema.NonNegativeInt, Slot),
  epoch: upTo(uint32),
  epoch_slot: optional(upTo(uint32)),
  size: optional(upTo(uint32)),
  tx_count: optional(upTo(uint16)),
  /** Each of its transactions may spend outputs of the one before. */
  output: optional(digits(cardano.supply * BigInt(uint16))),
  fees: optional(Coins),
  op_cert_counter: optional(digits(uint64)),
  confirmations: optional(upTo(uint32))
})

const decodeBlock = Schema.decodeUnknownOption(Schema.parseJson(Block))

const blockIn =
  ({ fault }: CardanoProvider) =>
  ({ json }: EpochJson) =>
    Either.fromOption(
      Option.filter(decodeBlock(json), ({ slot, time }) => timeOf(slot) === time),
      () => fault(noBlock)
    )

/** As `blockIn`; fails for a block whose epoch is not that of its slot. */
const datedIn = (source: CardanoProvider) => (json: EpochJson) =>
  Either.filterOrLeft(
    blockIn(source)(json),
    ({ epoch, epoch_slot, time }) => {
      const own = epochAt(time)
      return epoch === own.epoch && (epoch_slot ?? own.slot) === own.slot
    },
    () => source.fault(noBlock)
  )

/** The newest block of a source; its epoch says nothing. */
export const newestOf = (source: CardanoProvider) => Effect.flatMap(source.block, blockIn(source))

/** The newest block of a source, in the epoch of its slot. */
export const datedOf = (source: CardanoProvider) => Effect.flatMap(source.block, datedIn(source))

/** A source that fails for a newest block in another epoch than that of its slot. */
export const datedOnly = (source: CardanoProvider): CardanoProvider => ({
  ...source,
  block: Effect.tap(source.block, datedIn(source))
})

/** Seconds until the parameters of a new epoch are those of all sources. */
const maxLate = 6 * 3600

/** A source that fails for parameters of an epoch, or for a newest block, that do not fit the clock. */
export const currentOnly = (source: CardanoProvider): Pick<CardanoProvider, "block" | "parameters"> => ({
  parameters: Effect.tap(source.parameters, ({ epoch }: EpochJson) =>
    Effect.flatMap(now, (clock) => {
      const at = (by: number) => epochAt(shift(toSeconds(clock), by)).epoch
      const isCurrent = at(-maxLate) <= epoch && epoch <= at(maxAhead)
      // A simulated clock may be before the network.
      return isCurrent || toSeconds(clock) < cardano.genesisTime ? Effect.void : source.fault(otherEpoch)
    })
  ),
  block: Effect.tap(source.block, (json) =>
    Effect.flatMap(blockIn(source)(json), ({ height, time }) =>
      Effect.zipRight(requireCurrent(source, cardano, time), requireHeight(source, cardano, height))
    )
  )
})

/** The parameters and the newest block of the first source that returns them. */
export const protocolParameters = (sources: ReadonlyArray<CardanoProvider>): ProtocolParameters => {
  const first = (what: "parameters" | "block") =>
    Sources.first(sources, (source) => source[what], { none: unanswered }).pipe(
      Effect.mapError(unread),
      span(`Cardano.${what}`)
    )
  return { current: first("parameters"), block: first("block") }
}

const noBlock: Fault = { reason: "bad_answer", detail: "returned no newest block" }
const otherEpoch: Fault = { reason: "bad_answer", detail: "returned the parameters of another epoch" }
