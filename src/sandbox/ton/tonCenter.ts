import { createHash } from "node:crypto"
import { Address, beginCell, Cell, type Message } from "@ton/core"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { remembered } from "../world/memoized.ts"
import * as World from "../world/World.ts"
import { json, type SimulatedRequest } from "../world/wire.ts"
import * as TonHistory from "./TonHistory.ts"
import * as TonMessages from "./TonMessages.ts"
import { raw, type WalletRow, type Wallets, wallets } from "./tonWallets.ts"

/** Default wallet id of the workchain (docs.ton.org). */
export const walletId = 698983191

/** A value on the stack of the TVM. */
type StackItem = readonly [kind: string, value: unknown]

/** The stack after a get method, or the exit code. */
type GetMethodResult = ReadonlyArray<StackItem> | number

const number = (value: bigint | number): StackItem => ["num", `0x${value.toString(16)}`]

const cellItem = (cell: Cell): StackItem => {
  const bytes = TonMessages.toBoc(cell)
  return ["cell", { bytes, object: { data: { b64: bytes, len: cell.bits.length }, refs: [], special: false } }]
}

const addressItem = (address: string) => cellItem(beginCell().storeAddress(Address.parse(address)).endCell())

/** Code of all contracts; it is not simulated. */
const empty = TonMessages.toBoc(Cell.EMPTY)

/** Contracts of a simulated chain: wallets, jettons and jetton wallets. */
const contracts = (facts: NetworkFacts, wallets: Wallets) => {
  const jettonWallets = remembered<{ readonly owner: string; readonly master: string }>()
  const masters = new Map(TonHistory.masters(facts).map(({ contract, master }) => [master, contract]))

  /** Address of a jetton wallet, derived from the owner's address like in the simulated indexers. */
  const jettonWallet = (owner: string, master: string): string => {
    const address = TonHistory.jettonWallet(owner, master)
    jettonWallets.set(address, { owner, master })
    return address
  }

  const kindOf = (address: string) => {
    if (masters.has(address)) return "jetton"
    if (jettonWallets.has(address)) return "jetton wallet"
    return wallets.isActive(address) ? "wallet" : "none"
  }

  /** Public key of a wallet; a placeholder if the wallet has never revealed its key. */
  const keyOf = (address: string) => wallets.publicKey(address) ?? Address.parse(address).hash

  const methods: Readonly<
    Record<string, Readonly<Record<string, (address: string, stack: unknown) => GetMethodResult>>>
  > = {
    wallet: {
      seqno: (address) => [number(wallets.seqno(address))],
      get_public_key: (address) => [["num", `0x${keyOf(address).toString("hex")}`]],
      get_subwallet_id: () => [number(walletId)],
      get_plugin_list: () => [["list", { "@type": "tvm.list", elements: [] }]]
    },
    jetton: {
      get_wallet_address: (address, stack) => {
        const owner = addressOn(stack)
        return owner === undefined ? 9 : [addressItem(jettonWallet(owner, address))]
      },
      get_jetton_data: (address) => [
        number(10n ** BigInt((masters.get(address)?.decimals ?? 9) + 9)),
        number(-1),
        addressItem(address),
        cellItem(Cell.EMPTY),
        cellItem(Cell.EMPTY)
      ]
    },
    "jetton wallet": {
      get_wallet_data: (address) => {
        const { master = "", owner = "" } = jettonWallets.get(address) ?? {}
        const contract = masters.get(master)
        const balance = contract === undefined ? 0n : World.tokenBalance(facts, contract, owner)
        return [number(balance), addressItem(owner), addressItem(master), cellItem(Cell.EMPTY)]
      }
    }
  }

  return {
    kindOf,
    code: (address: string) => (kindOf(address) === "none" ? "" : empty),
    data: (address: string) => {
      if (kindOf(address) !== "wallet") return kindOf(address) === "none" ? "" : empty
      const numbers = beginCell().storeUint(wallets.seqno(address), 32).storeUint(walletId, 32)
      return TonMessages.toBoc(numbers.storeBuffer(keyOf(address)).storeBit(false).endCell())
    },
    /** Runs a get method. Exit code -13: no contract; 11: unknown method. */
    run: (address: string, method: unknown, stack: unknown) => {
      const kind = kindOf(address)
      const result = methods[kind]?.[String(method)]?.(address, stack) ?? (kind === "none" ? -13 : 11)
      return typeof result === "number" ? { stack: [], exit_code: result } : { stack: result, exit_code: 0 }
    }
  }
}

/** Address in the first stack value. */
const addressOn = (stack: unknown): string | undefined => {
  const [first] = Array.isArray(stack) ? stack : []
  const [, boc] = Array.isArray(first) ? first : []
  return Option.getOrUndefined(readAddress(String(boc)))
}

const readAddress = Option.liftThrowable((boc: string) => Cell.fromBase64(boc).beginParse().loadAddress().toRawString())

type Contracts = ReturnType<typeof contracts>

const shard = "-9223372036854775808"
const noHash = Buffer.alloc(32).toString("base64")

/** Response objects of TON Center's API v2. */
const tonCenterObjects = (facts: NetworkFacts, own: Wallets, code: Contracts) => {
  const digest = (what: string, block: number) =>
    createHash("sha256").update(`${facts.id} ${what} ${block}`).digest("base64")
  const block = (seqno: number, workchain = -1) => ({
    "@type": "ton.blockIdExt",
    workchain,
    shard,
    seqno,
    root_hash: digest(`root ${workchain}`, seqno),
    file_hash: digest(`file ${workchain}`, seqno)
  })
  const last = (address: string) => {
    const [newest] = own.rows(address, 1)
    return { "@type": "internal.transactionId", lt: String(newest?.lt ?? 0), hash: newest?.hash ?? noHash }
  }
  const state = (address: string) => (code.kindOf(address) === "none" ? "uninitialized" : "active")
  const balance = (address: string) => String(World.native(facts, address))

  const message = ({ body, info }: Message) => {
    const own = info.type === "internal" ? info : undefined
    return {
      "@type": "raw.message",
      source: own?.src.toString() ?? "",
      destination: String(info.dest),
      value: String(own?.value.coins ?? 0),
      fwd_fee: String(own?.forwardFee ?? 0),
      ihr_fee: "0",
      created_lt: String(own?.createdLt ?? 0),
      body_hash: body.hash().toString("base64"),
      msg_data: { "@type": "msg.dataRaw", body: TonMessages.toBoc(body), init_state: "" },
      message: ""
    }
  }

  const transaction = (account: string, { at, data, fee, hash, lt, received, sent }: WalletRow) => ({
    "@type": "raw.transaction",
    address: { "@type": "accountAddress", account_address: Address.parse(account).toString() },
    utime: at,
    data: TonMessages.toBoc(data),
    transaction_id: { "@type": "internal.transactionId", lt: String(lt), hash },
    fee: String(fee),
    storage_fee: "0",
    other_fee: String(fee),
    in_msg: message(received),
    out_msgs: sent.map(message)
  })

  return { digest, block, last, state, balance, transaction }
}

type TonCenterObjects = ReturnType<typeof tonCenterObjects>

// The main network's configuration parameters that determine fees (block.tlb).

const gas = { flat_gas_limit: 100, flat_gas_price: 40_000, gas_price: 26_214_400 }
const message = { lump_price: 400_000, bit_price: 26_214_400, cell_price: 2_621_440_000 }

const config = (...values: ReadonlyArray<readonly [value: number, bits: number]>) =>
  values.reduce((cell, [value, bits]) => cell.storeUint(value, bits), beginCell()).endCell()

const u64 = (...values: ReadonlyArray<number>) => values.map((value) => [value, 64] as const)

const cells: Readonly<Record<string, Cell>> = {
  21: config(
    [0xd1, 8],
    ...u64(gas.flat_gas_limit, gas.flat_gas_price),
    [0xde, 8],
    ...u64(gas.gas_price, 1_000_000, 1_000_000, 10_000, 10_000_000, 100_000_000, 1_000_000_000)
  ),
  25: config(
    [0xea, 8],
    ...u64(message.lump_price, message.bit_price, message.cell_price),
    [98_304, 32],
    [21_845, 16],
    [21_845, 16]
  )
}

/** Configuration parameter in TON Center's format; undefined for an unsupported parameter. */
const configInfo = (id: unknown) => {
  const cell = cells[String(id)]
  return cell === undefined
    ? undefined
    : { "@type": "configInfo", config: { "@type": "tvm.cell", bytes: TonMessages.toBoc(cell) } }
}

/** Configuration in TonAPI's format. */
export const blockchainConfig = {
  "21": { gas_limits_prices: { ...gas, gas_limit: 1_000_000, gas_credit: 10_000, block_gas_limit: 10_000_000 } },
  "25": { msg_forward_prices: { ...message, ihr_price_factor: 98_304, first_frac: 21_845, next_frac: 21_845 } }
}

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

/** TON Center's API v2, as JSON-RPC and as REST paths; stores the messages sent to it. */
export const tonCenter = (facts: NetworkFacts, own: Wallets = wallets(facts)) => {
  const code = contracts(facts, own)
  const objects = tonCenterObjects(facts, own, code)
  const methods: TonMethods = {
    ...chainMethods(objects),
    ...accountMethods(own, code, objects),
    ...sendMethods(own)
  }

  const invoke = (method: string, params: TonParams, now: number): Either.Either<unknown, Wrong> => {
    const known = Object.hasOwn(methods, method) ? methods[method] : undefined
    if (known === undefined) return wrong(422, "Unknown method")
    const result = Either.getOrElse(
      Either.try(() => known(params, now)),
      // The real service also rejects invalid parameters while it parses them.
      () => wrong(422, "invalid parameters")
    )
    return Either.isEither(result) ? (result as Either.Either<unknown, Wrong>) : Either.right(result)
  }

  return ({ body, method, now, path, query }: SimulatedRequest): Response => {
    const name = path.slice(path.lastIndexOf("/") + 1)
    const given = method === "GET" ? Object.fromEntries(query) : Option.getOrUndefined(parsed(body))
    const call = name.toLowerCase() === "jsonrpc" ? given : { method: name, params: given }
    if (call === undefined || typeof call.method !== "string")
      return json({ ok: false, error: "the body is not a JSON-RPC request", code: 422 }, 422)
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
    last: block(TonHistory.blockAt(now)),
    state_root_hash: digest("state", TonHistory.blockAt(now)),
    init: { ...block(0), shard: "0" }
  }),
  getConsensusBlock: (_, now) => ({ consensus_block: TonHistory.blockAt(now), timestamp: Math.floor(now / 1000) }),
  getConfigParam: ({ config_id, param }) =>
    configInfo(config_id ?? param) ?? wrong(500, "LITE_SERVER_UNKNOWN: no such configuration parameter"),
  shards: ({ seqno }, now) =>
    Number(seqno) >= 0 && Number(seqno) <= TonHistory.blockAt(now)
      ? { "@type": "blocks.shards", shards: [block(Number(seqno), 0)] }
      : wrong(500, "LITE_SERVER_NOTREADY: ltdb: block not found")
})

const accountMethods = (own: Wallets, code: Contracts, objects: TonCenterObjects): TonMethods => {
  const { balance, block, last, state } = objects
  return {
    getAddressBalance: ofAddress(balance),
    getAddressState: ofAddress(state),
    getAddressInformation: ofAddress((address, _, now) => ({
      "@type": "raw.fullAccountState",
      balance: balance(address),
      last_transaction_id: last(address),
      block_id: block(TonHistory.blockAt(now)),
      sync_utime: TonHistory.timeOf(TonHistory.blockAt(now)),
      extra_currencies: [],
      code: code.code(address),
      data: code.data(address),
      frozen_hash: "",
      state: state(address)
    })),
    getWalletInformation: ofAddress((address) => {
      const isWallet = code.kindOf(address) === "wallet"
      return {
        wallet: isWallet,
        balance: balance(address),
        account_state: state(address),
        wallet_type: isWallet ? "wallet v4 r2" : null,
        seqno: isWallet ? own.seqno(address) : null,
        last_transaction_id: last(address),
        ...(isWallet ? { wallet_id: walletId } : {})
      }
    }),
    detectAddress: ({ address: text }) => {
      const found = Option.getOrUndefined(forms(String(text)))
      return found ?? wrong(416, "Incorrect address")
    },
    getTransactions: ofAddress((address, params) => listed(own, objects, address, params)),
    runGetMethod: ofAddress((address, { method, stack }, now) => ({
      "@type": "smc.runResult",
      gas_used: 549,
      ...code.run(address, method, stack),
      block_id: block(TonHistory.blockAt(now)),
      last_transaction_id: last(address)
    }))
  }
}

/** All spellings of an address. */
const forms = Option.liftThrowable((text: string) => {
  const given = Address.isFriendly(text) ? Address.parseFriendly(text) : undefined
  const address = given?.address ?? Address.parseRaw(text)
  const spelled = (bounceable: boolean) => ({
    b64: address.toString({ bounceable, urlSafe: false }),
    b64url: address.toString({ bounceable, urlSafe: true })
  })
  const friendly = given?.isBounceable === true ? "friendly_bounceable" : "friendly_non_bounceable"
  return {
    raw_form: address.toRawString(),
    bounceable: spelled(true),
    non_bounceable: spelled(false),
    given_type: given === undefined ? "raw_form" : friendly,
    test_only: given?.isTestOnly ?? false
  }
})

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
    .filter((row) => row.lt > Number(to_lt))
    .map((row) => transaction(address, row))
}

const sendMethods = (own: Wallets): TonMethods => ({
  estimateFee: ofAddress((_, { body }) => {
    const root = Option.getOrUndefined(TonMessages.fromBoc(String(body)))
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

/** Adds `@extra` with the time of the response to objects of the lite client. */
const stamped = (result: unknown, now: number) =>
  result !== null && typeof result === "object" && "@type" in result
    ? { ...result, "@extra": `${now / 1000}:0:0` }
    : result

const parsed = Option.liftThrowable(
  (body: string) =>
    Object(JSON.parse(body)) as { readonly id?: unknown; readonly method?: unknown; readonly params?: unknown }
)
