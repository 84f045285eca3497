import {
  type Address,
  address,
  appendTransactionMessageInstruction,
  type Blockhash,
  compileTransaction,
  createKeyPairSignerFromPrivateKeyBytes,
  createSolanaRpc,
  createTransactionMessage,
  getBase64Decoder,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  isSolanaError,
  type KeyPairSigner,
  lamports,
  pipe,
  type Signature,
  SOLANA_ERROR__JSON_RPC__INVALID_PARAMS,
  SOLANA_ERROR__JSON_RPC__METHOD_NOT_FOUND,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE,
  setTransactionMessageFeePayer,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners
} from "@solana/kit"
import * as Effect from "effect/Effect"
import { solana as info } from "../../../../src/catalogue/solana.ts"
import * as World from "../../../../src/sandbox/world/World.ts"
import { contextAt } from "../../../support/contexts.ts"
import { eventually } from "../../../support/process.ts"
import { Proxy } from "../../../support/proxy.ts"
import { assert, describe, layer } from "../../../support/vitest.ts"

// Runs unmodified @solana/kit against the RPC proxy.

const systemProgram = address("11111111111111111111111111111111")
const recipient = address("7pFGok3zuvacRP797Ke3bUZqbq24PbVQNLvwopfErvih")

const client = (path = "") =>
  Effect.map(Proxy, ({ url }) => createSolanaRpc(`${url}/utils/rpc/solana${path}` as string))

const awaited = <A>(call: { readonly send: () => Promise<A> }) => Effect.promise(() => call.send())

const failure = (call: { readonly send: () => Promise<unknown> }) =>
  Effect.promise(() =>
    call.send().then(
      () => assert.fail("did not fail"),
      (error: unknown) => error
    )
  )

/** The first key whose address fits in the simulated world. */
const signer = (fits: (address: string) => boolean, from = 1): Effect.Effect<KeyPairSigner> =>
  Effect.gen(function* () {
    const bytes = new Uint8Array(32).fill(from)
    const keyPairSigner = yield* Effect.promise(() => createKeyPairSignerFromPrivateKeyBytes(bytes))
    return fits(keyPairSigner.address) ? keyPairSigner : yield* signer(fits, from + 1)
  })

const rich = signer((text) => World.native(info, text) > 10_000_000n)

/** Sends no transactions, so that concurrent tests do not change its balance. */
const saver = signer((text) => World.native(info, text) > 10_000_000n, 128)

/** A transfer of the system program. */
const transfer = (source: Address, amount: bigint) => {
  const data = new Uint8Array(12)
  data[0] = 2
  new DataView(data.buffer).setBigUint64(4, amount, true)
  return {
    programAddress: systemProgram,
    accounts: [
      { address: source, role: 3 },
      { address: recipient, role: 1 }
    ],
    data
  } as const
}

interface Lifetime {
  readonly blockhash: Blockhash
  readonly lastValidBlockHeight: bigint
}

const message = (payer: KeyPairSigner, lifetime: Lifetime, amount: bigint, version: 0 | "legacy" = 0) =>
  pipe(
    createTransactionMessage({ version }),
    (emptyTransactionMessage) => setTransactionMessageFeePayerSigner(payer, emptyTransactionMessage),
    (unsigned) => setTransactionMessageLifetimeUsingBlockhash(lifetime, unsigned),
    (unsigned) => appendTransactionMessageInstruction(transfer(payer.address, amount), unsigned)
  )

const signed = (payer: KeyPairSigner, lifetime: Lifetime, amount: bigint, version: 0 | "legacy" = 0) =>
  Effect.map(
    Effect.promise(() => signTransactionMessageWithSigners(message(payer, lifetime, amount, version))),
    (transaction) => ({
      wire: getBase64EncodedWireTransaction(transaction),
      signature: getSignatureFromTransaction(transaction)
    })
  )

const base64 = { encoding: "base64" } as const

describe.concurrent("@solana/kit with a simulated node", () => {
  layer(Proxy.layer, { excludeTestServices: true })((it) => {
    it("reads the chain and the balance of an address", function* () {
      const rpc = yield* client()
      const { address: holder } = yield* saver
      const { value } = yield* awaited(rpc.getBalance(holder))
      assert.strictEqual(value, World.native(info, holder))
      assert.strictEqual(yield* awaited(rpc.getHealth()), "ok")
      const { value: latest } = yield* awaited(rpc.getLatestBlockhash())
      assert.isTrue((yield* awaited(rpc.isBlockhashValid(latest.blockhash))).value)
      const height = yield* awaited(rpc.getBlockHeight())
      assert.isAtMost(Number(height), Number(latest.lastValidBlockHeight))
      const epoch = yield* awaited(rpc.getEpochInfo())
      assert.strictEqual(epoch.epoch * epoch.slotsInEpoch + epoch.slotIndex, epoch.absoluteSlot)
      assert.strictEqual(yield* awaited(rpc.getMinimumBalanceForRentExemption(165n)), lamports(2_039_280n))
      const fees = yield* awaited(rpc.getRecentPrioritizationFees())
      assert.lengthOf(fees, 150)
      const [account, program] = (yield* awaited(rpc.getMultipleAccounts([holder, systemProgram], base64))).value
      assert.strictEqual(account?.lamports, value)
      assert.strictEqual(account?.owner, systemProgram)
      assert.isTrue(program?.executable)
    })

    it("reads tokens, their accounts and their mints", function* () {
      const rpc = yield* client()
      const [contract] = World.contractsOn(info.platform).filter(({ coin }) => coin.id === "usd-coin")
      if (contract === undefined) return assert.fail("no such token")
      const { address: owner } = yield* signer((text) => World.tokenBalance(info, contract, text) > 10n)
      const { value: accounts } = yield* awaited(
        rpc.getTokenAccountsByOwner(owner, { mint: address(contract.address) }, { encoding: "jsonParsed" })
      )
      let sum = 0n
      for (const { pubkey } of accounts) {
        const { value } = yield* awaited(rpc.getTokenAccountBalance(pubkey))
        assert.strictEqual(value.decimals, contract.decimals)
        sum += BigInt(value.amount)
      }
      assert.strictEqual(sum, World.tokenBalance(info, contract, owner))
      const { value: mint } = yield* awaited(rpc.getAccountInfo(address(contract.address), base64))
      assert.strictEqual(mint?.space, 82n)
      assert.strictEqual(Buffer.from(mint?.data[0] ?? "", "base64")[44], contract.decimals)
    })

    for (const version of [0, "legacy"] as const)
      it(`builds, signs, simulates, sends and finds a transfer of version ${version}`, function* () {
        const rpc = yield* client()
        const payer = yield* rich
        const { value: lifetime } = yield* awaited(rpc.getLatestBlockhash())
        const { signature, wire } = yield* signed(payer, lifetime, version === 0 ? 1_000n : 2_000n, version)
        const tried = yield* awaited(rpc.simulateTransaction(wire, { ...base64, sigVerify: true }))
        assert.isNull(tried.value.err)
        assert.include(tried.value.logs ?? [], `Program ${systemProgram} success`)
        assert.strictEqual(yield* awaited(rpc.sendTransaction(wire, base64)), signature)
        const confirmed = Effect.gen(function* () {
          const { value } = yield* awaited(rpc.getSignatureStatuses([signature]))
          const [status] = value
          return status?.confirmationStatus === "confirmed" ? status : yield* Effect.fail("not yet")
        })
        const status = yield* eventually(confirmed)
        assert.isNull(status.err)
        const found = yield* awaited(
          rpc.getTransaction(signature, {
            commitment: "confirmed",
            encoding: "jsonParsed",
            maxSupportedTransactionVersion: 0
          })
        )
        assert.strictEqual(found?.meta?.fee, lamports(5_000n))
        assert.strictEqual(found?.slot, status.slot)
        assert.deepStrictEqual([...(found?.transaction.signatures ?? [])], [signature])
      })

    it("builds a transfer from the signing context only, which is accepted and confirmed", function* () {
      const rpc = yield* client()
      const payer = yield* rich
      const { url } = yield* Proxy
      const context = yield* contextAt(url, "solana", payer.address, "solana")
      assert.strictEqual(BigInt(context.balance), World.native(info, payer.address))
      const lifetime = {
        blockhash: context.blockhash as Blockhash,
        lastValidBlockHeight: BigInt(context.lastValidBlockHeight)
      }
      const { signature, wire } = yield* signed(payer, lifetime, BigInt(context.rentExemptMinimum))
      assert.strictEqual(yield* awaited(rpc.sendTransaction(wire, base64)), signature)
      const status = yield* eventually(
        Effect.filterOrFail(
          awaited(rpc.getSignatureStatuses([signature])),
          ({ value: [status] }) => (status ?? null) !== null
        )
      )
      assert.isNull(status.value[0]?.err)
      const listed = yield* awaited(
        rpc.getTokenAccountsByOwner(
          payer.address,
          { programId: address("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA") },
          { encoding: "jsonParsed" }
        )
      )
      const own = context.tokenAccounts.filter(({ program }) => program.startsWith("Tokenkeg"))
      assert.sameMembers(
        own.map(({ address }) => address),
        listed.value.map(({ pubkey }) => pubkey as string)
      )
    })

    it("gets the fee of a message, and null if its blockhash is too old", function* () {
      const rpc = yield* client()
      const payer = yield* rich
      const { value: lifetime } = yield* awaited(rpc.getLatestBlockhash())
      const priced = (limit: Lifetime) => {
        const data = new Uint8Array(9)
        data[0] = 3
        new DataView(data.buffer).setBigUint64(1, 1_000_000n, true)
        const item = pipe(
          createTransactionMessage({ version: 0 }),
          (empty) => setTransactionMessageFeePayer(payer.address, empty),
          (empty) => setTransactionMessageLifetimeUsingBlockhash(limit, empty),
          (empty) =>
            appendTransactionMessageInstruction(
              { programAddress: address("ComputeBudget111111111111111111111111111111"), data },
              empty
            ),
          (empty) => appendTransactionMessageInstruction(transfer(payer.address, 1n), empty)
        )
        return compileTransaction(item).messageBytes
      }
      const fee = (limit: Lifetime) =>
        awaited(rpc.getFeeForMessage(getBase64Decoder().decode(priced(limit) as unknown as Uint8Array) as never))
      assert.strictEqual((yield* fee(lifetime)).value as bigint | null, 5_000n + 200_000n)
      assert.isNull((yield* fee({ ...lifetime, blockhash: systemProgram as never })).value)
    })

    it("gets the reason when the node rejects a transaction", function* () {
      const rpc = yield* client()
      const payer = yield* rich
      const { value: lifetime } = yield* awaited(rpc.getLatestBlockhash())
      const preflight = SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE

      const dear = yield* signed(payer, lifetime, World.native(info, payer.address))
      const tooMuch = yield* failure(rpc.sendTransaction(dear.wire, base64))
      if (!isSolanaError(tooMuch, preflight)) return assert.fail(String(tooMuch))
      assert.include(tooMuch.context.logs?.join("\n") ?? "", "insufficient lamports")

      const empty = yield* signer((holder) => World.native(info, holder) === 0n)
      const unpaid = yield* failure(rpc.sendTransaction((yield* signed(empty, lifetime, 1n)).wire, base64))
      assert.isTrue(isSolanaError(unpaid, preflight))

      const old = yield* signed(payer, { ...lifetime, blockhash: systemProgram as never }, 1n)
      const expired = yield* failure(rpc.sendTransaction(old.wire, base64))
      assert.isTrue(isSolanaError(expired, preflight))

      const once = yield* signed(payer, lifetime, 3_000n)
      yield* awaited(rpc.sendTransaction(once.wire, base64))

      const bytes = Buffer.from(once.wire, "base64")
      bytes[10] = (bytes[10] ?? 0) ^ 1
      const forged = yield* failure(rpc.sendTransaction(bytes.toString("base64") as never, base64))
      assert.isTrue(
        isSolanaError(forged, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_TRANSACTION_SIGNATURE_VERIFICATION_FAILURE)
      )
      const cut = yield* failure(rpc.sendTransaction(bytes.subarray(0, 90).toString("base64") as never, base64))
      assert.isTrue(isSolanaError(cut, SOLANA_ERROR__JSON_RPC__INVALID_PARAMS))
    })

    it("gets null for an unknown signature, and an error for an unknown method", function* () {
      const rpc = yield* client()
      const { value } = yield* awaited(rpc.getSignatureStatuses(["1".repeat(64) as Signature]))
      assert.deepStrictEqual([...value], [null])
      const refused = yield* failure(rpc.requestAirdrop(recipient, lamports(1n)) as never)
      assert.isTrue(isSolanaError(refused, SOLANA_ERROR__JSON_RPC__METHOD_NOT_FOUND))
    })

    it("reads a separate test network", function* () {
      const [rpc, main] = [yield* client("/testnet"), yield* client()]
      assert.notStrictEqual(yield* awaited(rpc.getGenesisHash()), yield* awaited(main.getGenesisHash()))
      assert.notStrictEqual(
        (yield* awaited(rpc.getBalance(recipient))).value,
        (yield* awaited(main.getBalance(recipient))).value
      )
    })
  })
})
