import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import {
  type BaseContract,
  ContractFactory,
  type EventLog,
  type InterfaceAbi,
  isCallException,
  isError,
  JsonRpcProvider,
  Network,
  type TransactionResponse,
  Wallet
} from "ethers"
import * as Node from "../../../support/anvil.ts"
import { coinsBytecode } from "../../../support/contracts/bytecode.ts"
import {
  coinsAbi,
  creation,
  layer as ethereum,
  failure,
  funded,
  fundedAt,
  initialBalance,
  key,
  nodes,
  recipient,
  url
} from "../../../support/ethereumProxy.ts"
import { isMissing } from "../../../support/tools.ts"
import { assert, describe, it, layer } from "../../../support/vitest.ts"

// Runs unmodified ethers against the RPC proxy over a real node.

/** Disables the cache, so that every response is from the service. */
const at = (address: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const options = { staticNetwork: Network.from("mainnet"), cacheTimeout: -1, pollingInterval: 20 }
      return new JsonRpcProvider(address, undefined, options)
    }),
    (provider) => Effect.sync(() => provider.destroy())
  )

const client = Effect.flatMap(url, at)

const awaited = <A>(promise: () => Promise<A>) => Effect.promise(promise)

const mined = (sent: () => Promise<TransactionResponse>) =>
  awaited(async () => (await (await sent()).wait()) ?? assert.fail("no receipt"))

const methods = (contract: BaseContract) => ({
  balanceOf: contract.getFunction("balanceOf"),
  mint: contract.getFunction("mint"),
  transfer: contract.getFunction("transfer")
})

/** Deploys the contract `Coins` from a separate account, which then owns this amount of its coins. */
const coins = Effect.fnUntraced(function* (index: number, amount: bigint) {
  yield* funded(index)
  const provider = yield* client
  const wallet = new Wallet(key(index), provider)
  const factory = new ContractFactory(coinsAbi as unknown as InterfaceAbi, creation, wallet)
  const contract = yield* awaited(async () => await (await factory.deploy()).waitForDeployment())
  const address = yield* awaited(() => contract.getAddress())
  const { balanceOf, mint, transfer } = methods(contract)
  yield* mined(() => mint(wallet.address, amount))
  return { address, balanceOf, contract, mint, provider, transfer, wallet }
})

describe.skipIf(isMissing("anvil"))("ethers with a real node", () => {
  it.scopedLive(
    "gets an error for a transaction that may have been lost with its node, and continues with the second node",
    function* () {
      const { first, second, url } = yield* nodes
      const { address } = yield* fundedAt(1, first, second)
      const provider = yield* at(url)
      const wallet = new Wallet(key(1), provider)
      const transaction = yield* awaited(async () =>
        wallet.signTransaction(await wallet.populateTransaction({ to: recipient, value: 5n }))
      )
      yield* first.freeze
      const lost = yield* Effect.fork(failure(() => provider.broadcastTransaction(transaction)))
      yield* first.sent
      yield* awaited(() => provider.getBalance(recipient))
      yield* first.kill
      const { message } = yield* Fiber.join(lost)
      assert.include(message, "ethereum-rpc")
      assert.notInclude(message, first.url)

      const receipt = yield* mined(() => provider.broadcastTransaction(transaction))
      assert.strictEqual(receipt.status, 1)
      assert.strictEqual(yield* awaited(() => provider.getTransactionCount(address)), 1)
      assert.strictEqual(yield* second.rpc("eth_getTransactionCount", [address, "latest"]), "0x1")
    }
  )

  layer(ethereum, { excludeTestServices: true })((it) => {
    it("reads the chain, the balance of an address and the state of a contract", function* () {
      const { address, balanceOf, provider, wallet } = yield* coins(20, 9n)
      const { address: other } = yield* funded(21)
      assert.strictEqual(yield* awaited(() => provider.getBalance(other)), initialBalance)
      assert.strictEqual(yield* awaited(() => provider.getCode(address)), coinsBytecode)
      assert.strictEqual(BigInt(yield* awaited(() => provider.getStorage(address, 0))), 0n)
      assert.strictEqual(yield* awaited(() => balanceOf(wallet.address)), 9n)
      const number = yield* awaited(() => provider.getBlockNumber())
      const block = yield* awaited(() => provider.getBlock("latest"))
      assert.strictEqual(block?.number, number)
      assert.deepStrictEqual(
        (yield* awaited(() => provider.getBlock(block?.hash ?? "", true)))?.transactions,
        block?.transactions
      )
      const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = yield* awaited(() => provider.getFeeData())
      assert.isTrue((gasPrice ?? 0n) > 0n && (maxFeePerGas ?? 0n) >= (maxPriorityFeePerGas ?? 0n))
      assert.strictEqual(yield* awaited(() => provider.estimateGas({ from: other, to: recipient, value: 1n })), 21_000n)
      assert.strictEqual((yield* awaited(() => provider.getNetwork())).chainId, 1n)
    })

    it("works without the network as an option", function* () {
      const address = yield* url
      const provider = yield* Effect.acquireRelease(
        Effect.sync(() => new JsonRpcProvider(address)),
        (jsonRpcProvider) => Effect.sync(() => jsonRpcProvider.destroy())
      )
      assert.strictEqual((yield* awaited(() => provider.getNetwork())).chainId, 1n)
      assert.isAtLeast(yield* awaited(() => provider.getBlockNumber()), 0)
    })

    it("sends a transaction, and sees its effects as soon as it has the receipt", function* () {
      yield* funded(22)
      const provider = yield* client
      const wallet = new Wallet(key(22), provider)
      for (const round of [1n, 2n, 3n]) {
        const before = yield* awaited(() => provider.getBalance(wallet))
        const nonce = yield* awaited(() => wallet.getNonce())
        const receipt = yield* mined(() => wallet.sendTransaction({ to: recipient, value: round }))
        assert.strictEqual(yield* awaited(() => provider.getBalance(wallet)), before - round - receipt.fee)
        assert.strictEqual(yield* awaited(() => wallet.getNonce()), nonce + 1)
        assert.isAtLeast(yield* awaited(() => provider.getBlockNumber()), receipt.blockNumber)
      }
    })

    it("gets the same hash when it sends the same transaction again", function* () {
      yield* funded(23)
      const provider = yield* client
      const { rpc } = yield* Node.Anvil
      const wallet = new Wallet(key(23), provider)
      const transaction = yield* awaited(async () =>
        wallet.signTransaction(await wallet.populateTransaction({ to: recipient, value: 1n }))
      )
      yield* rpc("evm_setAutomine", [false])
      const first = yield* awaited(() => provider.broadcastTransaction(transaction))
      const again = yield* awaited(() => provider.broadcastTransaction(transaction))
      assert.strictEqual(again.hash, first.hash)
      yield* rpc("evm_setAutomine", [true])
      yield* rpc("evm_mine", [])
      assert.strictEqual((yield* mined(() => Promise.resolve(again))).status, 1)
    })

    it("decodes the error of a contract", function* () {
      const { contract, transfer, wallet } = yield* coins(24, 5n)
      const called = yield* failure<unknown>(() => transfer.staticCall(recipient, 6n))
      if (!isCallException(called)) return assert.fail(String(called))
      assert.deepStrictEqual(
        [called.revert?.name, [...(called.revert?.args ?? [])]],
        ["TooLittle", [wallet.address, 5n, 6n]]
      )
      // For these errors, ethers leaves the decoding to its caller.
      for (const attempt of [() => transfer.estimateGas(recipient, 6n), () => transfer(recipient, 6n)]) {
        const error = yield* failure<unknown>(attempt)
        if (!isCallException(error)) return assert.fail(String(error))
        assert.strictEqual(error.data, called.data)
        assert.strictEqual(contract.interface.parseError(error.data ?? "")?.name, "TooLittle")
      }
      const poor = new Wallet(key(25), wallet.provider)
      const error = yield* failure<unknown>(() => poor.sendTransaction({ to: recipient, value: 1n, gasLimit: 21_000n }))
      assert.isTrue(isError(error, "INSUFFICIENT_FUNDS"), String(error))
    })

    it("sends many calls in one request, and gets an error only for the call that fails", function* () {
      const { address, balanceOf, provider, transfer, wallet } = yield* coins(26, 5n)
      const sizes: Array<number> = []
      yield* awaited(() =>
        provider.on("debug", ({ action, payload }: { action: string; payload: unknown }) => {
          if (action === "sendRpcPayload") sizes.push(Array.isArray(payload) ? payload.length : 1)
        })
      )
      const [balance, number, code, refused, holding] = yield* awaited(() =>
        Promise.all([
          provider.getBalance(recipient),
          provider.getBlockNumber(),
          provider.getCode(address),
          transfer.staticCall(recipient, 9n).catch((error) => error.revert?.name),
          balanceOf(wallet.address)
        ])
      )
      assert.isTrue(balance >= 0n && number > 0)
      assert.deepStrictEqual([code, refused, holding], [coinsBytecode, "TooLittle", 5n])
      assert.isAbove(Math.max(...sizes), 1)
    })

    it("finds the events of a contract, and receives new ones", function* () {
      const { contract, transfer, wallet } = yield* coins(27, 100n)
      const received = yield* Effect.fork(
        Effect.async<ReadonlyArray<unknown>>((resume) => {
          void contract.once("Transfer", (...seen: ReadonlyArray<unknown>) => resume(Effect.succeed(seen.slice(0, 3))))
        })
      )
      yield* Effect.yieldNow()
      const receipt = yield* mined(() => transfer(recipient, 3n))
      assert.deepStrictEqual(yield* Fiber.join(received), [wallet.address, recipient, 3n])
      const events = yield* awaited(() => contract.queryFilter("Transfer"))
      assert.deepStrictEqual(
        events.map((event) => [(event as EventLog).args.value, event.blockNumber === receipt.blockNumber]),
        [
          [100n, false],
          [3n, true]
        ]
      )
    })

    it("gets the changes of a filter from the node that created it", function* () {
      const { address, provider, transfer } = yield* coins(28, 100n)
      const filter = yield* awaited(() => provider.send("eth_newFilter", [{ address }]))
      const receipt = yield* mined(() => transfer(recipient, 4n))
      const changes = yield* awaited(() => provider.send("eth_getFilterChanges", [filter]))
      assert.deepStrictEqual(
        changes.map((change: { transactionHash: string }) => change.transactionHash),
        [receipt.hash]
      )
      assert.isTrue(yield* awaited(() => provider.send("eth_uninstallFilter", [filter])))
    })
  })
})
