import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { Height, Millis } from "../../../../domain/units.ts"
import { connectionLost } from "../../../../jsonrpc/errors.ts"
import * as Call from "../../../../upstream/Call.ts"
import type * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import { orAbsent, Sun, SunOrZero } from "../../formats.ts"
import { isFormOf } from "../../TronAddress.ts"

// The HTTP API of a node (tronprotocol.github.io/documentation-en), which omits members that are zero, and returns `{}`
// instead of a 404.

/** The address of the documentation. @public */
export const documentation = "https://developers.tron.network/reference"

interface AccountAddress {
  readonly address: string
}

interface OfTransaction {
  readonly id: string
}

const visible = ({ address }: AccountAddress) => ({ address, visible: true })
const withId = ({ id }: OfTransaction) => ({ value: id })

/** The zero address, as caller of read-only contract calls. */
const zeroAddress = "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb"

export const constantContract = Call.post("/wallet/triggerconstantcontract", {
  perOpen: { balance: 1 },
  note: "A revert has the result `true` as well: only its message and the state of the transaction show it.",
  body: ({ contract, data }: { readonly contract: string; readonly data: string }) => ({
    owner_address: zeroAddress,
    contract_address: contract,
    data: data.slice(2),
    visible: true
  }),
  response: Schema.Struct({
    result: Schema.Struct({
      result: Schema.optional(Schema.Boolean),
      code: Schema.optional(Schema.String),
      message: Schema.optional(Schema.String)
    }),
    constant_result: Schema.optional(Schema.Array(Schema.String.pipe(Schema.pattern(/^([0-9a-f]{2})*$/i)))),
    transaction: Schema.optional(
      Schema.Struct({
        ret: Schema.optional(Schema.Array(Schema.Struct({ ret: Schema.optional(Schema.String) })))
      })
    )
  })
})

export const contractInfo = Call.post("/wallet/getcontractinfo", {
  note: "`{}` for an address without a contract.",
  body: ({ address }: { readonly address: string }) => ({ value: address, visible: true }),
  response: orAbsent(
    Schema.Struct({
      smart_contract: Schema.Struct({ contract_address: Schema.String }),
      /** The code that runs; `bytecode` of the contract is that which created it. */
      runtimecode: Schema.optional(Schema.String.pipe(Schema.pattern(/^([0-9a-f]{2})*$/i)))
    })
  ),
  about: (found, { address }) => found === undefined || isFormOf(found.smart_contract.contract_address, address)
})

/** A block without its transactions. */
const block = {
  body: () => ({ detail: false }),
  response: Schema.Struct({
    blockID: Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/)),
    block_header: Schema.Struct({
      raw_data: Schema.Struct({
        number: Schema.compose(Schema.NonNegativeInt, Height),
        timestamp: Schema.compose(Schema.NonNegativeInt, Millis)
      })
    })
  })
}

export const newestBlock = Call.post("/wallet/getblock", block)

export const solidifiedBlock = Call.post("/walletsolidity/getblock", block)

export const account = Call.post("/wallet/getaccount", {
  note: "`{}` for an account that was never activated. Staked TRX is not part of the balance.",
  body: visible,
  response: orAbsent(Schema.Struct({ address: Schema.String, balance: SunOrZero })),
  about: (found, { address }) => found === undefined || isFormOf(found.address, address)
})

const Frozen = Schema.Struct({ frozen_balance: SunOrZero })

/** Each was started in another block, so no two are equal. */
const Unfrozen = Schema.Array(
  Schema.Struct({
    type: Schema.optional(Schema.String),
    unfreeze_amount: SunOrZero,
    unfreeze_expire_time: Schema.optional(Schema.Unknown)
  })
).pipe(Schema.filter((rows) => new Set(rows.map((row) => Object.values(row).join())).size === rows.length))

export const stakedAccount = Call.post("/wallet/getaccount", {
  note: "Staked TRX is for the account itself or delegated, under Stake 1.0 or 2.0, or being unstaked.",
  body: visible,
  response: orAbsent(
    Schema.Struct({
      address: Schema.String,
      balance: SunOrZero,
      frozen: Schema.optionalWith(Schema.Array(Frozen).pipe(Schema.maxItems(1)), { default: () => [] }),
      frozenV2: Schema.optionalWith(
        Schema.Array(
          Schema.Struct({
            type: Schema.optionalWith(Schema.String, { default: () => "BANDWIDTH" }),
            amount: SunOrZero
          })
        ).pipe(Schema.filter((rows) => new Set(rows.map(({ type }) => type)).size === rows.length)),
        { default: () => [] }
      ),
      unfrozenV2: Schema.optionalWith(Unfrozen, { default: () => [] }),
      delegated_frozen_balance_for_bandwidth: SunOrZero,
      delegated_frozenV2_balance_for_bandwidth: SunOrZero,
      account_resource: Schema.optional(
        Schema.Struct({
          frozen_balance_for_energy: Schema.optional(Frozen),
          delegated_frozen_balance_for_energy: SunOrZero,
          delegated_frozenV2_balance_for_energy: SunOrZero
        })
      )
    })
  ),
  about: (found, { address }) => found === undefined || isFormOf(found.address, address)
})

export const reward = Call.post("/wallet/getReward", {
  body: visible,
  response: Schema.Struct({ reward: SunOrZero })
})

/** Above the daily totals of the network: 43.2 billion bytes of bandwidth and about 180 billion units of energy. */
const maxResource = 1e12

const Units = Schema.optionalWith(Schema.Int.pipe(Schema.between(0, maxResource)), { default: () => 0 })

export const resources = Call.post("/wallet/getaccountresource", {
  note: "`{}` for an account that was never activated, else with the total of the network.",
  body: visible,
  response: orAbsent(
    Schema.Struct({
      TotalNetLimit: Schema.NonNegativeInt,
      freeNetLimit: Units,
      freeNetUsed: Units,
      NetLimit: Units,
      NetUsed: Units,
      EnergyLimit: Units,
      EnergyUsed: Units
    })
  )
})

export const chainParameters = Call.get("/wallet/getchainparameters", {
  response: Schema.Struct({
    chainParameter: Schema.Array(Schema.Struct({ key: Schema.String, value: Schema.optional(Schema.Unknown) })).pipe(
      Schema.maxItems(1_000)
    )
  })
})

const Time = Schema.compose(Schema.Positive, Millis)

export const transaction = Call.post("/wallet/gettransactionbyid", {
  note: "Also of the pool. `{}` if the node does not have it.",
  body: withId,
  response: orAbsent(Schema.Struct({ txID: Schema.String, raw_data: Schema.Struct({ expiration: Time }) })),
  about: (found, { id }) => found === undefined || found.txID === id
})

/** With all its members, which are those of a row of the list of transactions. */
export const wholeTransaction = Call.post("/wallet/gettransactionbyid", {
  body: withId,
  response: orAbsent(
    Schema.Struct(
      {
        txID: Schema.String,
        ret: Schema.optional(Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })))
      },
      Schema.Record({ key: Schema.String, value: Schema.Unknown })
    )
  ),
  about: (found, { id }) => found === undefined || found.txID === id
})

const included = {
  id: Schema.String,
  blockNumber: Schema.compose(Schema.Positive, Height),
  blockTimeStamp: Time,
  fee: SunOrZero,
  /** `FAILED`; absent if it succeeded. */
  result: Schema.optional(Schema.String)
}

const isAbout = (found: { readonly id: string } | undefined, { id }: OfTransaction) =>
  found === undefined || found.id === id

export const transactionInfo = Call.post("/wallet/gettransactioninfobyid", {
  note: "`{}` if it is in no block.",
  body: withId,
  response: orAbsent(
    Schema.Struct({
      ...included,
      receipt: Schema.optional(Schema.Struct({ result: Schema.optional(Schema.String) }))
    })
  ),
  about: isAbout
})

/** Addresses have 20 bytes, without the prefix. */
const Log = Schema.Struct({
  address: Schema.String.pipe(Schema.pattern(/^[0-9a-f]{40}$/i)),
  topics: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] }),
  data: Schema.optionalWith(Schema.String, { default: () => "" })
})

const InternalInfo = Schema.Struct({
  hash: Schema.String,
  caller_address: Schema.String,
  transferTo_address: Schema.String,
  callValueInfo: Schema.optionalWith(
    Schema.Array(Schema.Struct({ callValue: Schema.optional(Sun), tokenId: Schema.optional(Schema.String) })),
    { default: () => [] }
  ),
  rejected: Schema.optional(Schema.Boolean)
})

export const transactionEffects = Call.post("/wallet/gettransactioninfobyid", {
  note: "Logs have the topics of EVM networks, without their prefix.",
  body: withId,
  response: orAbsent(
    Schema.Struct({
      ...included,
      withdraw_amount: Schema.optional(Sun),
      unfreeze_amount: Schema.optional(Sun),
      withdraw_expire_amount: Schema.optional(Sun),
      log: Schema.optionalWith(Schema.Array(Log), { default: () => [] }),
      internal_transactions: Schema.optionalWith(Schema.Array(InternalInfo), { default: () => [] })
    })
  ),
  about: isAbout
})

export const broadcast = Call.post("/wallet/broadcasthex", {
  note: "Codes as in `Return` of the node's api.proto. Java nodes encode messages as hex.",
  body: ({ hex }: { readonly hex: string }) => ({ transaction: hex }),
  response: Schema.Struct({
    result: Schema.optional(Schema.Boolean),
    code: Schema.optional(Schema.String),
    message: Schema.optional(Schema.String),
    txid: Schema.optional(Schema.String),
    Error: Schema.optional(Schema.String)
  })
})

/** Errors with HTTP status 200, also overload: `{"Error": …}`, or `{"success": false, "error": …}`. */
export const refusal = (body: unknown): Fault | undefined => {
  if (!Predicate.isRecord(body)) return undefined
  if (Predicate.isRecord(body.result) && body.result.code === "SERVER_BUSY")
    return { reason: "rate_limited", detail: "rate limit reached" }
  const error = body.Error ?? (body.success === false ? (body.error ?? "") : undefined)
  if (error === undefined) return undefined
  if (typeof error !== "string" || !busy.test(error) || connectionLost.test(error))
    return { reason: "upstream_error", detail: "returned an error" }
  const [, seconds] = /suspended for (\d{1,4}) ?s/i.exec(error) ?? []
  return {
    reason: "rate_limited",
    detail: "rate limit reached",
    ...(seconds === undefined ? {} : { retryAfter: Number(seconds) * 1000 })
  }
}

const busy = /computing resources|frequency|\brate\b|\brps\b|suspended|exceed|too many|limit/i

/** Options for decoding responses; sums may exceed 2^53. */
export const decodeOptions: ResponseDecoder.DecodeOptions = { exact: true, refusal }
