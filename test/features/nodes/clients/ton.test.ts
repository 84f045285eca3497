import { Address, internal, SendMode, toNano } from "@ton/core"
import { type KeyPair, keyPairFromSeed } from "@ton/crypto"
import { JettonMaster, JettonWallet, TonClient, WalletContractV4, WalletContractV5R1 } from "@ton/ton"
import * as Effect from "effect/Effect"
import { ton as info } from "../../../../src/catalogue/ton.ts"
import * as World from "../../../../src/sandbox/world/World.ts"
import { contextAt } from "../../../support/contexts.ts"
import { eventually } from "../../../support/process.ts"
import { Proxy } from "../../../support/proxy.ts"
import { assert, describe, layer } from "../../../support/vitest.ts"

// Runs unmodified @ton/ton against the RPC proxy.

const client = (path = "") => Effect.map(Proxy, ({ url }) => new TonClient({ endpoint: `${url}/utils/rpc/ton${path}` }))

const keys = (number: number): KeyPair => keyPairFromSeed(Buffer.alloc(32, number))

const make = {
  v4: ({ publicKey }: KeyPair) => WalletContractV4.create({ workchain: 0, publicKey }),
  v5: ({ publicKey }: KeyPair) => WalletContractV5R1.create({ publicKey })
}

/** The first wallet whose address fits in the simulated world. */
const wallet = <Version extends keyof typeof make>(
  version: Version,
  fits: (address: string) => boolean,
  from = 1
): { readonly contract: ReturnType<(typeof make)[Version]>; readonly keyPair: KeyPair } => {
  const keyPair = keys(from)
  const contract = make[version](keyPair) as ReturnType<(typeof make)[Version]>
  return fits(contract.address.toRawString()) ? { contract, keyPair } : wallet(version, fits, from + 1)
}

const isRich = (address: string) => World.native(info, address) > 10_000_000n
const isPoor = (address: string) => World.native(info, address) === 0n
const recipient = Address.parse("EQAUAHcUab66DpOV2GaT_QDuSagpMdIn0x6aMmO3_fPVMyD8")

const failure = (promise: Promise<unknown>) =>
  Effect.promise(() =>
    promise.then(
      () => assert.fail("did not fail"),
      (error: { readonly message: string; readonly response?: { readonly status: number; readonly data: unknown } }) =>
        `${error.message} ${error.response?.status} ${JSON.stringify(error.response?.data)}`
    )
  )

const until = <A>(awaited: () => Promise<A>, fits: (value: A) => boolean) =>
  eventually(Effect.filterOrFail(Effect.promise(awaited), fits, () => "not yet"))

describe("@ton/ton with a simulated TON Center", () => {
  layer(Proxy.layer, { excludeTestServices: true })((it) => {
    it("reads the chain, its shards and the balance of an address", function* () {
      const ton = yield* client()
      const { contract } = wallet("v4", isRich)
      const head = yield* Effect.promise(() => ton.getMasterchainInfo())
      assert.strictEqual(head.workchain, -1)
      const shards = yield* Effect.promise(() => ton.getWorkchainShards(head.latestSeqno))
      assert.deepStrictEqual(
        shards.map(({ workchain }) => workchain),
        [0]
      )
      const balance = yield* Effect.promise(() => ton.getBalance(contract.address))
      assert.strictEqual(balance, World.native(info, contract.address.toRawString()))
      const state = yield* Effect.promise(() => ton.getContractState(contract.address))
      assert.strictEqual(state.state, "active")
    })

    for (const version of ["v4", "v5"] as const)
      it(`sends a transfer from a wallet ${version}, and finds it`, function* () {
        const ton = yield* client()
        const { contract, keyPair } = wallet(version, isRich)
        const opened = ton.open(contract as WalletContractV4)
        assert.isTrue(yield* Effect.promise(() => ton.isContractDeployed(contract.address)))
        const seqno = yield* Effect.promise(() => opened.getSeqno())
        const transfer = opened.createTransfer({
          seqno,
          secretKey: keyPair.secretKey,
          sendMode: SendMode.PAY_GAS_SEPARATELY,
          messages: [
            internal({ to: recipient, value: toNano("0.001"), bounce: false, body: "thanks" }),
            internal({ to: recipient, value: 5n, bounce: false })
          ]
        })
        const fees = yield* Effect.promise(() =>
          ton.estimateExternalMessageFee(contract.address, {
            body: transfer,
            initCode: null,
            initData: null,
            ignoreSignature: true
          })
        )
        assert.isAbove(fees.source_fees.gas_fee, 0)
        yield* Effect.promise(() => opened.send(transfer))
        yield* until(
          () => opened.getSeqno(),
          (next) => next === seqno + 1
        )
        assert.include(yield* failure(opened.send(transfer)), "exitcode=33")
        const [newest] = yield* Effect.promise(() => ton.getTransactions(contract.address, { limit: 2 }))
        if (newest === undefined) return assert.fail("no transaction")
        assert.strictEqual(newest.outMessagesCount, 2)
        assert.strictEqual(newest.inMessage?.body.hash().toString("hex"), transfer.hash().toString("hex"))
        const [first] = newest.outMessages.values()
        assert.strictEqual(first?.info.dest?.toString(), recipient.toString())
        assert.strictEqual(first?.info.type === "internal" ? first.info.value.coins : 0n, toNano("0.001"))
        const again = yield* Effect.promise(() =>
          ton.getTransaction(contract.address, String(newest.lt), newest.hash().toString("base64"))
        )
        assert.isTrue(again?.hash().equals(newest.hash()))
      })

    it("sends a transfer built from the signing context only, and then gets the next seqno", function* () {
      const ton = yield* client()
      const { url } = yield* Proxy
      const { contract, keyPair } = wallet("v4", isRich, 20)
      const address = contract.address.toString({ bounceable: false })
      const read = contextAt(url, "ton", address, "ton")
      const before = yield* read
      assert.deepStrictEqual(
        [before.state, before.wallet, before.walletId, BigInt(before.balance)],
        ["active", "v4r2", contract.walletId, World.native(info, contract.address.toRawString())]
      )
      const transfer = contract.createTransfer({
        seqno: before.seqno ?? -1,
        secretKey: keyPair.secretKey,
        sendMode: SendMode.PAY_GAS_SEPARATELY,
        messages: [internal({ to: recipient, value: 7n, bounce: false })]
      })
      yield* Effect.promise(() => ton.open(contract as WalletContractV4).send(transfer))
      yield* eventually(Effect.filterOrFail(read, ({ seqno }) => seqno === (before.seqno ?? -1) + 1))
      const fresh = wallet("v4", isPoor, 30).contract.address.toRawString()
      assert.deepInclude(yield* contextAt(url, "ton", fresh, "ton"), {
        state: "nonexist",
        seqno: 0,
        wallet: null,
        balance: "0"
      })
    })

    it("pages through the history of an address", function* () {
      const ton = yield* client()
      const { contract } = wallet("v4", isRich, 40)
      const { lastTransaction } = yield* Effect.promise(() => ton.getContractState(contract.address))
      if (lastTransaction === null) return assert.fail("no transaction")
      const all = yield* Effect.promise(() => ton.getTransactions(contract.address, { limit: 100 }))
      assert.isAbove(all.length, 3)
      const rest = yield* Effect.promise(() =>
        ton.getTransactions(contract.address, { limit: 100, ...lastTransaction })
      )
      assert.deepStrictEqual(
        rest.map(({ lt }) => lt),
        all.slice(1).map(({ lt }) => lt)
      )
    })

    it("reads the jetton balance of an owner", function* () {
      const ton = yield* client()
      const [contract] = World.contractsOn(info.platform)
      if (contract === undefined) return assert.fail("no jetton")
      const owner = wallet("v4", (text) => World.tokenBalance(info, contract, text) > 0n).contract.address
      const master = ton.open(JettonMaster.create(Address.parse(contract.address)))
      const at = yield* Effect.promise(() => master.getWalletAddress(owner))
      const balance = yield* Effect.promise(() => ton.open(JettonWallet.create(at)).getBalance())
      const raw = owner.toRawString()
      assert.strictEqual(balance, World.tokenBalance(info, { ...contract, address: contract.address }, raw))
    })

    it("gets the reason when a message is rejected", function* () {
      const ton = yield* client()
      const { contract, keyPair } = wallet("v4", isRich)
      const opened = ton.open(contract)
      const seqno = yield* Effect.promise(() => opened.getSeqno())
      const transfer = { secretKey: keyPair.secretKey, messages: [internal({ to: recipient, value: 1n })] }
      assert.include(yield* failure(opened.sendTransfer({ ...transfer, seqno: seqno + 1 })), "exitcode=33")
      assert.include(yield* failure(opened.sendTransfer({ ...transfer, seqno, timeout: 1 })), "exitcode=36")
      assert.include(yield* failure(ton.sendFile(Buffer.from("no boc"))), "cannot deserialize bag of cells")
      const fresh = wallet("v4", isPoor)
      const unfunded = ton.open(fresh.contract)
      assert.isFalse(yield* Effect.promise(() => ton.isContractDeployed(fresh.contract.address)))
      assert.strictEqual(yield* Effect.promise(() => unfunded.getSeqno()), 0)
      assert.include(
        yield* failure(unfunded.sendTransfer({ ...transfer, secretKey: fresh.keyPair.secretKey, seqno: 0 })),
        "Failed to unpack account state"
      )
      assert.include(yield* failure(ton.runMethod(contract.address, "get_nothing")), "exit_code: 11")
      assert.include(yield* failure(ton.getBalance({ toString: () => "nobody" } as Address)), "Incorrect address")
    })

    it("reads another chain on the test network, which accepts test-only addresses", function* () {
      const [ton, main] = [yield* client("/testnet"), yield* client()]
      const { contract } = wallet("v4", isRich)
      const spelled = contract.address.toString({ testOnly: true })
      const asTest = { toString: () => spelled } as Address
      const [here, there] = yield* Effect.promise(() =>
        Promise.all([ton.getBalance(asTest), main.getBalance(contract.address)])
      )
      assert.notStrictEqual(here, there)
      assert.strictEqual(here, yield* Effect.promise(() => ton.getBalance(contract.address)))
    })
  })
})
