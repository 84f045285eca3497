import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { decode } from "ripple-binary-codec"
import { cardano } from "../../src/sandbox/cardano/cardano.ts"
import { polkadot } from "../../src/sandbox/polkadot/polkadot.ts"
import { ripple } from "../../src/sandbox/ripple/ripple.ts"
import { ton } from "../../src/sandbox/ton/ton.ts"
import { tron } from "../../src/sandbox/tron/tron.ts"
import { encode } from "../../src/sandbox/tron/tronRaw.ts"
import * as World from "../../src/sandbox/world/World.ts"
import type { Simulated } from "../../src/sandbox/world/wire.ts"
import { samples } from "../chains/families/samples.ts"
import { fixture, recorded } from "../support/fixtures.ts"
import { pathsIn } from "../support/memberPaths.ts"
import { Cardano, Polkadot, Ripple, Ton, Tron } from "../support/networks.ts"
import { tronTransfer } from "../support/offline.ts"
import { assert, describe, it } from "../support/vitest.ts"

type Upstreams = ReadonlyArray<readonly [name: string, upstream: Simulated]>

/** Sends a request to a simulated upstream: a path, with a body for a POST. */
const ask = (upstreams: Upstreams, name: string, text: string, body?: unknown): Effect.Effect<never> =>
  Effect.promise(async () => {
    const [path = "", query] = text.split("?")
    const upstream = new Map<string, Simulated>(upstreams).get(name)
    const response = upstream?.({
      method: body === undefined ? "GET" : "POST",
      path,
      query: new URLSearchParams(query),
      body: body === undefined ? "" : JSON.stringify(body),
      now: Date.UTC(2026, 10, 28)
    })
    return response?.json() as never
  })

/** Paths that a value lacks. A member that is null or an empty list has no members itself. */
const missingIn = (value: unknown, paths: Iterable<string>): ReadonlyArray<string> => {
  const own = new Set(pathsIn(value))
  const isMissing = (path: string): boolean => {
    if (own.has(path)) return false
    const parent = path.slice(0, Math.max(path.lastIndexOf("."), 0)).replace(/\[\]$/, "")
    if (parent === "") return true
    return own.has(parent) ? [...own].some((other) => /^(\[\])?\./.test(other.replace(parent, ""))) : isMissing(parent)
  }
  return [...paths].filter(isMissing)
}

const nodes = ["LedgerEntryType", "LedgerIndex", "PreviousTxnID", "PreviousTxnLgrSeq", "FinalFields", "PreviousFields"]
const message = ["hash", "created_lt", "value", "fwd_fee", "ihr_fee", "import_fee", "created_at", "destination"]
const tonMessage = [...message, "source", "opcode", "message_content.body", "init_state", "value_extra_currencies"]
const under = (path: string, names: ReadonlyArray<string>) => names.map((name) => `${path}.${name}`)
const words = (text: string) => text.split(" ")

interface LookUp {
  readonly upstreams: Upstreams
  /** Hashes of past transactions of an address. */
  readonly hashes: (address: string) => Effect.Effect<ReadonlyArray<string>>
  /** The look-up by hash, and the part of its response that is about the transaction. */
  readonly find: (hash: string) => Effect.Effect<unknown>
  readonly addresses: ReadonlyArray<string>
  /** Members that all recorded responses have. */
  readonly members: ReadonlyArray<string>
  readonly recordings: ReadonlyArray<readonly [provider: string, name: string]>
  /** Part of a recorded response that is about the transaction. */
  readonly within: (body: never) => unknown
}

const hashesIn = <A>(rows: Effect.Effect<never>, of: (body: never) => ReadonlyArray<A>, hash: (row: A) => string) =>
  Effect.map(rows, (body) => of(body).map(hash))

const atTron = tron(Tron.info) as Upstreams
const atRipple = ripple(Ripple.info) as Upstreams
const atCardano = cardano(Cardano.info)
const atTon = ton(Ton.info)
const atPolkadot = polkadot(Polkadot.info)

const tronHashes = (address: string) =>
  hashesIn(
    ask(atTron, "trongrid", `/v1/accounts/${address}/transactions?limit=200`),
    ({ data }: { readonly data: ReadonlyArray<{ readonly txID?: string; readonly tx_id?: string }> }) => data,
    ({ tx_id, txID }) => txID ?? tx_id ?? ""
  )

const rippled = (method: string, params: object) => ask(atRipple, "ripple-rpc", "/", { method, params: [params] })

const rippleHashes = (account: string) =>
  hashesIn(
    rippled("account_tx", { account }),
    ({ result }: { readonly result: { readonly transactions: ReadonlyArray<{ readonly tx: { hash: string } }> } }) =>
      result.transactions,
    ({ tx }) => tx.hash
  )

const cardanoHashes = (address: string) =>
  hashesIn(
    ask(atCardano, "koios", "/address_txs", { _addresses: [address] }),
    (rows: ReadonlyArray<{ readonly tx_hash: string }>) => rows,
    ({ tx_hash }) => tx_hash
  )

const tonHashes = (address: string) =>
  hashesIn(
    ask(atTon, "toncenter", `/api/v3/transactions?limit=100&account=${encodeURIComponent(address)}`),
    ({ transactions }: { readonly transactions: ReadonlyArray<{ readonly hash: string }> }) => transactions,
    ({ hash }) => hash
  )

const polkadotHashes = (chain: string) => (address: string) =>
  hashesIn(
    ask(atPolkadot, chain, "/api/v2/scan/extrinsics", { address, row: 100, page: 0 }),
    ({ data }: { readonly data: { readonly extrinsics: ReadonlyArray<{ extrinsic_hash: string }> | null } }) =>
      data.extrinsics ?? [],
    ({ extrinsic_hash }) => extrinsic_hash
  )

const first = (rows: never) => Arr.unsafeGet(rows as ReadonlyArray<unknown>, 0)
const dataOf = ({ data }: { readonly data: unknown }) => data
const transactionIn = ({ transactions }: { readonly transactions: unknown }) => first(transactions as never)
const resultOf = (body: { readonly result: object }) => body.result ?? body
const same = (body: never) => body

const koios = { upstreams: atCardano, hashes: cardanoHashes, addresses: samples(Cardano.info, 6) }
const tonPart = { upstreams: atTon, hashes: tonHashes, addresses: samples(Ton.info, 6) }
const subscan = {
  upstreams: atPolkadot,
  addresses: samples(Polkadot.info, 6),
  members: [
    ...words("account_id signature nonce tip fee fee_used error pending finalized block_hash event_count"),
    ...words("lifetime.birth lifetime.death params[].name params[].type params[].type_name params[].value"),
    ...under("transfer", words("from to module amount hash success asset_symbol to_account_display.address")),
    ...under("event[]", words("event_index block_num extrinsic_idx module_id event_id params event_idx finalized"))
  ],
  recordings: words("polkadot-extrinsic-transfer polkadot-extrinsic-failed").map((name) => ["subscan", name] as const),
  within: dataOf
}

const lookUps: Readonly<Record<string, LookUp>> = {
  "/wallet/gettransactionbyid of TronGrid": {
    upstreams: atTron,
    addresses: samples(Tron.info, 6),
    hashes: tronHashes,
    find: (value) => ask(atTron, "trongrid", "/wallet/gettransactionbyid", { value }),
    members: [
      ...words("ret[].contractRet signature txID raw_data_hex"),
      ...under("raw_data", words("ref_block_bytes ref_block_hash expiration timestamp contract[].type")),
      ...under("raw_data.contract[].parameter", words("type_url value.owner_address"))
    ],
    recordings: [["trongrid", "gettransactionbyid-trx-transfer"]],
    within: same
  },
  "/wallet/gettransactioninfobyid of TronGrid": {
    upstreams: atTron,
    addresses: samples(Tron.info, 6),
    hashes: tronHashes,
    find: (value) => ask(atTron, "trongrid", "/wallet/gettransactioninfobyid", { value }),
    members: words("id fee blockNumber blockTimeStamp contractResult receipt"),
    recordings: [["trongrid", "gettransactioninfobyid-trx-transfer"]],
    within: same
  },
  "tx of rippled": {
    upstreams: atRipple,
    addresses: samples(Ripple.info, 6),
    hashes: rippleHashes,
    find: (transaction) => Effect.map(rippled("tx", { transaction, binary: false }), resultOf),
    members: [
      ...words("Account Fee Flags LastLedgerSequence Sequence SigningPubKey TransactionType TxnSignature ctid date"),
      ...words("hash inLedger ledger_index status validated meta.TransactionIndex meta.TransactionResult"),
      ...under("meta.AffectedNodes[].ModifiedNode", nodes)
    ],
    recordings: words("tx-payment-1-drop-memo tx-escrowcreate tx-offercreate-tecunfunded").map(
      (name) => ["rippled", name] as const
    ),
    within: resultOf
  },
  "tx_info of Koios": {
    ...koios,
    find: (hash) => Effect.map(ask(atCardano, "koios", "/tx_info", { _tx_hashes: [hash] }), first),
    members: [
      ...words("block_hash epoch_no epoch_slot absolute_slot tx_size total_output invalid_before invalid_after"),
      ...words("assets_minted metadata native_scripts"),
      ...["inputs[]", "outputs[]"].flatMap((side) =>
        under(side, words("tx_hash tx_index datum_hash inline_datum reference_script payment_addr.cred"))
      )
    ],
    recordings: [["koios", "tx-info-two-outputs-same-address"]],
    within: first
  },
  "/txs/{hash} of Blockfrost": {
    ...koios,
    find: (hash) => ask(atCardano, "blockfrost", `/txs/${hash}`),
    members: [
      ...words("hash block block_height block_time slot index fees deposit size invalid_before invalid_hereafter"),
      ...words("output_amount[].unit output_amount[].quantity utxo_count withdrawal_count mir_cert_count"),
      ...words("delegation_count stake_cert_count pool_update_count pool_retire_count asset_mint_or_burn_count"),
      ...words("redeemer_count valid_contract treasury_donation")
    ],
    recordings: words("tx-huge tx-int64-max-token tx-treasury-donation tx-withdrawals").map(
      (name) => ["blockfrost", name] as const
    ),
    within: same
  },
  "/txs/{hash}/utxos of Blockfrost": {
    ...koios,
    find: (hash) => ask(atCardano, "blockfrost", `/txs/${hash}/utxos`),
    members: ["inputs[]", "outputs[]"].flatMap((side) =>
      under(side, words("output_index data_hash inline_datum reference_script_hash collateral"))
    ),
    recordings: words("tx-utxos-huge tx-utxos-script-collateral").map((name) => ["blockfrost", name] as const),
    within: same
  },
  "/api/v3/transactions of TON Center": {
    ...tonPart,
    find: (hash) =>
      Effect.map(ask(atTon, "toncenter", `/api/v3/transactions?hash=${encodeURIComponent(hash)}`), transactionIn),
    members: [
      ...words("prev_trans_hash prev_trans_lt total_fees_extra_currencies block_ref.seqno in_msg.import_fee"),
      ...under("account_state_after", words("hash balance account_status frozen_hash data_hash code_hash")),
      ...under("description", words("destroyed storage_ph.status_change compute_ph.gas_fees compute_ph.vm_steps")),
      ...under("description.action", words("tot_actions spec_actions msgs_created no_funds action_list_hash")),
      ...["in_msg", "out_msgs[]"].flatMap((side) => under(side, tonMessage))
    ],
    recordings: [["toncenter-v3", "tx-transfer-success"]],
    within: transactionIn
  },
  "/v2/blockchain/transactions/{hash} of TonAPI": {
    ...tonPart,
    find: (hash) => ask(atTon, "tonapi", `/v2/blockchain/transactions/${Buffer.from(hash, "base64").toString("hex")}`),
    members: [
      ...words("end_balance state_update_old state_update_new block prev_trans_hash prev_trans_lt destroyed raw"),
      ...under("compute_phase", words("skipped success gas_fees gas_used vm_steps exit_code exit_code_description")),
      ...under("storage_phase", words("fees_collected status_change")),
      ...under("action_phase", words("success result_code total_actions skipped_actions fwd_fees total_fees")),
      ...["in_msg", "out_msgs[]"].flatMap((side) => under(side, [...message, "msg_type", "bounce", "bounced"]))
    ],
    recordings: words("tx-transfer tx-with-comment").map((name) => ["tonapi", name] as const),
    within: same
  },
  "/api/scan/extrinsic of Subscan, on Asset Hub": {
    ...subscan,
    hashes: polkadotHashes("subscan"),
    find: (hash) => Effect.map(ask(atPolkadot, "subscan", "/api/scan/extrinsic", { hash }), dataOf)
  },
  "/api/scan/extrinsic of Subscan, on the relay chain": {
    ...subscan,
    hashes: polkadotHashes("subscan-relay"),
    find: (hash) => Effect.map(ask(atPolkadot, "subscan-relay", "/api/scan/extrinsic", { hash }), dataOf)
  }
}

/** Members that depend on the type of the transaction, on the body of a message, or on the tags of an exchange. */
const special =
  /decoded|raw_body|merkle|op_code|init|opcode|hash_norm|gas_credit|net_fee|Condition|FinishAfter|CancelAfter|params\[\]\.value\.|value\.(amount|to_address)/

describe("a look-up of a past transaction in the sandbox", () => {
  for (const [name, { addresses, find, hashes, members }] of Object.entries(lookUps))
    it(`has the members of real responses: ${name}`, function* () {
      const all = (yield* Effect.forEach(addresses, hashes)).flat()
      assert.isAbove(all.length, 3)
      for (const hash of all) assert.deepStrictEqual(missingIn(yield* find(hash), members), [], hash)
    })

  it("shows the bytes and the fields of the same transaction on ripple", function* () {
    for (const hash of (yield* Effect.forEach(samples(Ripple.info, 6), rippleHashes)).flat()) {
      const of = (binary: boolean) => Effect.map(rippled("tx", { transaction: hash, binary }), resultOf)
      const { tx } = (yield* of(true)) as { readonly tx: string }
      const shown = (yield* of(false)) as Readonly<Record<string, unknown>>
      assert.deepStrictEqual(missingIn(shown, Object.keys(decode(tx))), [])
      for (const [field, value] of Object.entries(decode(tx)))
        assert.deepStrictEqual<unknown>(shown[field], value, field)
    }
  })

  it("has the same hash while it is pending and in a block, and one for each of two equal transfers, on tron", function* () {
    const world = World.make()
    const upstreams = tron({ ...Tron.info, world } as typeof Tron.info)
    const [from = "", to = ""] = samples(Tron.info, 2, 8_000)
    const listed = (address: string) =>
      Effect.map(
        ask(upstreams, "trongrid", `/v1/accounts/${address}/transactions?limit=200`),
        ({ data }: { readonly data: ReadonlyArray<RecordedTron> }) =>
          data
            .filter(({ raw_data }) => raw_data?.contract[0]?.parameter.value.amount === 1_000_001)
            .map(({ txID }) => txID)
      )
    yield* world.fund("tron", from, 3_000_000n)
    for (const _ of [1, 2]) yield* world.send("tron", { from, to, amount: 1_000_001n })
    const pending = yield* listed(from)
    assert.lengthOf(new Set(pending), 2)
    assert.deepStrictEqual(yield* listed(to), pending)
    const infos = Effect.forEach(pending, (value) =>
      ask(upstreams, "trongrid", "/wallet/gettransactioninfobyid", { value })
    )
    assert.deepStrictEqual<unknown>(yield* infos, [{}, {}])
    yield* world.confirm("tron")
    assert.deepStrictEqual(
      (yield* infos).map(({ id }: { readonly id: string }) => id),
      pending
    )
    assert.deepStrictEqual([yield* listed(from), yield* listed(to)], [pending, pending])
  })

  it("shows the bytes and the fields of the same transaction on tron", function* () {
    let transfers = 0
    for (const value of (yield* Effect.forEach(samples(Tron.info, 6), tronHashes)).flat()) {
      const found: RecordedTron = yield* ask(atTron, "trongrid", "/wallet/gettransactionbyid", { value })
      const { raw_data } = found
      const [contract] = raw_data.contract
      if (contract?.type !== "TransferContract") continue
      transfers++
      const { amount = 0, owner_address: from, to_address: to = "" } = contract.parameter.value
      const { expiration, ref_block_bytes: refBlockBytes, ref_block_hash: refBlockHash, timestamp = 0 } = raw_data
      const own = tronTransfer({ amount: BigInt(amount), expiration, from, refBlockBytes, refBlockHash, timestamp, to })
      assert.strictEqual(own.raw.toString("hex"), found.raw_data_hex)
      assert.strictEqual(own.id.toString("hex"), found.txID)
    }
    assert.isAbove(transfers, 6)
  })
})

recorded("a recorded look-up", () => {
  for (const [name, { addresses, find, hashes, recordings, within }] of Object.entries(lookUps))
    it(`has no member in all responses that the sandbox lacks: ${name}`, function* () {
      const bodies = recordings.map(([provider, file]) => within(fixture(provider, file).response.body as never))
      const [one = [], ...others] = bodies.map((body) => pathsIn(body))
      const always = new Set(one.filter((path) => !special.test(path) && others.every((other) => other.includes(path))))
      assert.isNotEmpty([...always])
      for (const hash of (yield* Effect.forEach(addresses, hashes)).flat())
        assert.deepStrictEqual(missingIn(yield* find(hash), always), [], hash)
    })

  it("of a Tron transaction has the bytes that the sandbox makes of its fields", () => {
    const { data } = fixture("trongrid", "v1-transactions-2020-mixed").response.body as {
      readonly data: ReadonlyArray<RecordedTron>
    }
    const single = fixture("trongrid", "gettransactionbyid-trx-transfer").response.body as RecordedTron
    let encoded = 0
    for (const { raw_data, raw_data_hex, signature, txID } of [single, ...data]) {
      const [contract] = raw_data.contract
      if (!/^(Transfer|TriggerSmart)Contract$/.test(contract?.type ?? "")) continue
      encoded++
      const {
        amount,
        call_value,
        contract_address,
        data,
        owner_address: from,
        to_address
      } = contract?.parameter.value ?? assert.fail()
      const order = { from, to: to_address ?? contract_address ?? "", amount: BigInt(amount ?? call_value ?? 0) }
      const { id, raw } = encode(data === undefined ? order : { ...order, data }, {
        refBlockBytes: raw_data.ref_block_bytes,
        refBlockHash: raw_data.ref_block_hash,
        expiration: raw_data.expiration,
        timestamp: raw_data.timestamp ?? 0,
        feeLimit: BigInt(raw_data.fee_limit ?? 0),
        signature: signature[0] ?? ""
      })
      assert.deepStrictEqual([id, Buffer.from(raw).toString("hex")], [txID, raw_data_hex])
    }
    assert.isAbove(encoded, 10)
  })
})

interface RecordedTron {
  readonly txID: string
  readonly signature: ReadonlyArray<string>
  readonly raw_data_hex: string
  readonly raw_data: {
    readonly contract: ReadonlyArray<{
      readonly type: string
      readonly parameter: {
        readonly value: Readonly<Partial<Record<"amount" | "call_value", number>>> & {
          readonly owner_address: string
          readonly to_address?: string
          readonly contract_address?: string
          readonly data?: string
        }
      }
    }>
    readonly ref_block_bytes: string
    readonly ref_block_hash: string
    readonly expiration: number
    readonly timestamp?: number
    readonly fee_limit?: number
  }
}
