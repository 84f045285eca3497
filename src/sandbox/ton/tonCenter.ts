import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { json, type SimulatedRequest } from "../world/wire.ts"
import * as TonCells from "./TonCells.ts"
import { raw, spelled } from "./tonAddress.ts"
import { type TonCenterObjects, tonCenterObjects } from "./tonCenterObjects.ts"
import { configInfo } from "./tonConfig.ts"
import { type Contracts, contracts } from "./tonContracts.ts"
import { blockAt, type Wallets, wallets } from "./tonWallets.ts"

type TonParams = Readonly<Record<string, unknown>>

interface Wrong {
  readonly code: number
  readonly error: string
}

type TonMethods = Readonly<Record<string, TonMethod>>

/** The result of a method, or an error in an Either. */
type TonMethod = (params: TonParams, now: number) => unknown

const wrong = (code: number, error: string) => Either.left({ code, error })

const ofAddress =
  (then: (address: string, params: TonParams, now: number) => unknown): TonMethod =>
  (params, now) => {
    const address = raw(params.address)
    return address === undefined ? wrong(416, "Incorrect address") : then(address, params, now)
  }

/** TON Center's API v2, as JSON-RPC and by paths; it stores the messages sent to it. */
export const tonCenter = (facts: NetworkFacts, forTests: boolean, own: Wallets = wallets(facts)) => {
  const code = contracts(facts, own)
  const objects = tonCenterObjects(facts, own, code)
  const methods: TonMethods = {
    ...chainMethods(objects),
    ...accountMethods(own, code, objects),
    ...sendMethods(own),
    ...addressMethods(forTests)
  }

  const invoke = (method: string, params: TonParams, now: number): Either.Either<unknown, Wrong> => {
    const known = Object.hasOwn(methods, method) ? methods[method] : undefined
    if (known === undefined) return wrong(422, "Unknown method")
    const result = Either.getOrElse(
      Either.try(() => known(params, now)),
      // What the real service reports while it parses the parameters.
      () => wrong(422, "the parameters cannot be read")
    )
    return Either.isEither(result) ? (result as Either.Either<unknown, Wrong>) : Either.right(result)
  }

  return ({ body, method, now, path, query }: SimulatedRequest): Response => {
    const name = path.slice(path.lastIndexOf("/") + 1)
    const given = method === "GET" ? Object.fromEntries(query) : Option.getOrUndefined(parsed(body))
    const call = name.toLowerCase() === "jsonrpc" ? given : { method: name, params: given }
    if (call === undefined || typeof call.method !== "string")
      return json({ ok: false, error: "the body is no JSON-RPC request", code: 422 }, 422)
    const wrapper = call === given ? { jsonrpc: "2.0", id: call.id ?? null } : {}
    return Either.match(invoke(call.method, { ...(call.params as object) }, now), {
      onLeft: ({ code, error }) => json({ ok: false, error, code, ...wrapper }, code),
      onRight: (result) => json({ ok: true, result: stamped(result, now), ...wrapper })
    })
  }
}

const chainMethods = ({ block, digest }: TonCenterObjects): TonMethods => ({
  getMasterchainInfo: (_, now) => ({
    "@type": "blocks.masterchainInfo",
    last: block(blockAt(now)),
    state_root_hash: digest("state", blockAt(now)),
    init: { ...block(0), shard: "0" }
  }),
  getConsensusBlock: (_, now) => ({ consensus_block: blockAt(now), timestamp: Math.floor(now / 1000) }),
  lookupBlock: ({ lt, seqno, unixtime, workchain }, now) => {
    const time = unixtime ?? (lt === undefined ? undefined : Math.floor(Number(lt) / 100_000))
    const found = seqno === undefined ? blockAt(Number(time) * 1000) : Number(seqno)
    return found >= 0 && found <= blockAt(now)
      ? block(found, Number(workchain))
      : wrong(500, "LITE_SERVER_NOTREADY: ltdb: block not found")
  },
  getConfigParam: ({ config_id, param }) =>
    configInfo(config_id ?? param) ?? wrong(500, "LITE_SERVER_UNKNOWN: no such configuration parameter"),
  shards: ({ seqno }, now) =>
    Number(seqno) >= 0 && Number(seqno) <= blockAt(now)
      ? { "@type": "blocks.shards", shards: [block(Number(seqno), 0)] }
      : wrong(500, "LITE_SERVER_NOTREADY: ltdb: block not found"),
  getBlockTransactions: ({ seqno, workchain }) => ({
    "@type": "blocks.transactions",
    id: block(Number(seqno), Number(workchain)),
    req_count: 40,
    incomplete: false,
    // The transactions of an account are on its own list alone.
    transactions: []
  })
})

const accountMethods = (own: Wallets, code: Contracts, objects: TonCenterObjects): TonMethods => {
  const { balance, block, common, friendly, last, state } = objects
  return {
    getAddressBalance: ofAddress(balance),
    getAddressState: ofAddress(state),
    getAddressInformation: ofAddress((address, _, now) => ({
      "@type": "raw.fullAccountState",
      ...common(address, now),
      code: code.code(address),
      data: code.data(address),
      frozen_hash: "",
      state: state(address)
    })),
    getExtendedAddressInformation: ofAddress((address, _, now) => ({
      "@type": "fullAccountState",
      address: { "@type": "accountAddress", account_address: friendly(address) },
      ...common(address, now),
      account_state:
        code.kindOf(address) === "wallet"
          ? { "@type": "wallet.v4.accountState", wallet_id: String(code.walletId), seqno: own.seqno(address) }
          : code.isActive(address)
            ? { "@type": "raw.accountState", code: code.code(address), data: code.data(address), frozen_hash: "" }
            : { "@type": "uninited.accountState", frozen_hash: "" },
      revision: 2
    })),
    getWalletInformation: ofAddress((address) => ({
      wallet: code.kindOf(address) === "wallet",
      balance: balance(address),
      account_state: state(address),
      last_transaction_id: last(address),
      ...(code.kindOf(address) === "wallet"
        ? { wallet_type: "wallet v4 r2", seqno: own.seqno(address), wallet_id: code.walletId }
        : {})
    })),
    getTransactions: ofAddress((address, params) => listed(own, objects, address, params)),
    runGetMethod: ofAddress((address, { method, stack }, now) => ({
      "@type": "smc.runResult",
      gas_used: 549,
      ...code.run(address, method, stack),
      block_id: block(blockAt(now)),
      last_transaction_id: last(address)
    }))
  }
}

const listed = (
  own: Wallets,
  { transaction }: TonCenterObjects,
  address: string,
  { hash, limit = 10, lt, to_lt = 0 }: TonParams
) => {
  const rows = own.rows(address)
  const begin = lt === undefined || hash === undefined ? 0 : rows.findIndex((row) => String(row.lt) === String(lt))
  const named = /^[0-9a-f]{64}$/i.test(String(hash)) ? Buffer.from(String(hash), "hex").toString("base64") : hash
  if (begin < 0 || (begin > 0 && rows[begin]?.hash !== named))
    return wrong(500, "LITE_SERVER_UNKNOWN: cannot locate transaction in block with specified logical time")
  return rows
    .slice(begin, begin + Number(limit))
    .filter((current) => current.lt > Number(to_lt))
    .map((row) => transaction(address, row))
}

const sendMethods = (own: Wallets): TonMethods => ({
  estimateFee: ofAddress((_, { body }) => {
    const root = Option.getOrUndefined(TonCells.fromBoc(String(body)))
    if (root === undefined) return wrong(422, "cannot deserialize bag of cells")
    const fees = { "@type": "fees", in_fwd_fee: 1_032_400, storage_fee: 1_060, gas_fee: 1_197_600, fwd_fee: 400_000 }
    return {
      "@type": "query.fees",
      source_fees: { ...fees, fwd_fee: fees.fwd_fee * root.refs.length },
      destination_fees: []
    }
  }),
  sendBoc: (params, now) => Either.map(send(own, params, now), () => ({ "@type": "ok" })),
  sendBocReturnHash: (params, now) =>
    Either.map(send(own, params, now), ({ hash, normalized }) => ({
      "@type": "raw.extMessageInfo",
      hash: hash.toString("base64"),
      hash_norm: normalized.toString("base64")
    }))
})

const send = (own: Wallets, { boc }: TonParams, now: number) =>
  Either.mapLeft(own.send(String(boc), now), (error): Wrong => ({ code: 500, error }))

const addressMethods = (forTests: boolean): TonMethods => ({
  packAddress: ofAddress((address) => spelled(address, true, forTests)),
  unpackAddress: ofAddress((address) => address),
  detectAddress: ofAddress((address, { address: given }) => {
    const form = (bounceable: boolean) => {
      const b64url = spelled(address, bounceable, forTests)
      return { b64: b64url.replaceAll("-", "+").replaceAll("_", "/"), b64url }
    }
    const tag = Buffer.from(String(given), "base64")[0] ?? 0
    const friendlyType = (tag & 0x40) === 0 ? "friendly_bounceable" : "friendly_non_bounceable"
    return {
      raw_form: address,
      bounceable: form(true),
      non_bounceable: form(false),
      given_type: String(given).includes(":") ? "raw_form" : friendlyType,
      test_only: !String(given).includes(":") && (tag & 0x80) !== 0
    }
  })
})

/** Objects of the lite client have an `@extra` with the time of the response. */
const stamped = (result: unknown, now: number) =>
  result !== null && typeof result === "object" && "@type" in result
    ? { ...result, "@extra": `${now / 1000}:0:0` }
    : result

const parsed = Option.liftThrowable(
  (body: string) =>
    Object(JSON.parse(body)) as { readonly id?: unknown; readonly method?: unknown; readonly params?: unknown }
)
