import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import {
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  type HttpTransportConfig,
  http,
  keccak256,
  type PrivateKeyAccount,
  parseAbi,
  type Transport
} from "viem"
import { mainnet } from "viem/chains"
import { numberToHex } from "viem/utils"
import { codes } from "../../../../src/jsonrpc/errors.ts"
import * as Node from "../../../support/anvil.ts"
import { contextAt } from "../../../support/contexts.ts"
import { coinsBytecode, tokenBytecode } from "../../../support/contracts/bytecode.ts"
import {
  coinsAbi,
  creation,
  layer as ethereum,
  failure,
  funded,
  fundedAt,
  initialBalance,
  nodes,
  recipient,
  url
} from "../../../support/ethereumProxy.ts"
import { isMissing } from "../../../support/tools.ts"
import { assert, describe, it, layer } from "../../../support/vitest.ts"

// Runs unmodified viem against the RPC proxy over a real node.

const abi = parseAbi(coinsAbi)

const at = (address: string, config: HttpTransportConfig = {}) => {
  const options = {
    chain: mainnet,
    transport: http(address, { retryCount: 0, ...config }) as Transport,
    pollingInterval: 20
  }
  return {
    reader: createPublicClient({ ...options, cacheTime: 0 }),
    walletOf: (account: PrivateKeyAccount) => createWalletClient({ ...options, account })
  }
}

const client = (config?: HttpTransportConfig) => Effect.map(url, (address) => at(address, config))

const awaited = <A>(promise: () => Promise<A>) => Effect.promise(promise)

/** Deploys the contract `Coins` from a separate account, which then owns this amount of its coins. */
const coins = Effect.fnUntraced(function* (index: number, amount: bigint) {
  const account = yield* funded(index)
  const { reader, walletOf } = yield* client()
  const wallet = walletOf(account)
  const hash = yield* awaited(() => wallet.deployContract({ abi, bytecode: creation }))
  const { contractAddress } = yield* awaited(() => reader.waitForTransactionReceipt({ hash }))
  if (!contractAddress) return assert.fail("no contract")
  const contract = { abi, address: contractAddress }
  const minted = yield* awaited(() =>
    wallet.writeContract({ ...contract, functionName: "mint", args: [account.address, amount] })
  )
  yield* awaited(() => reader.waitForTransactionReceipt({ hash: minted }))
  return { account, contract, reader, wallet }
})

/** Returns the error of a contract, as decoded by viem. */
const reverted = (error: unknown) => {
  const found =
    error instanceof BaseError ? error.walk((cause) => cause instanceof ContractFunctionRevertedError) : null
  return found instanceof ContractFunctionRevertedError ? found.data : assert.fail(String(error))
}

describe.skipIf(isMissing("anvil"))("viem with a real node", () => {
  it.scopedLive(
    "gets an error for a transaction that may have been lost with its node, and continues with the second node",
    function* () {
      const { first, second, url } = yield* nodes
      const account = yield* fundedAt(1, first, second)
      const { reader, walletOf } = at(url)
      const wallet = walletOf(account)
      const request = yield* awaited(() => wallet.prepareTransactionRequest({ to: recipient, value: 5n }))
      const serializedTransaction = yield* awaited(() => account.signTransaction(request as never))

      yield* first.freeze
      const lost = yield* Effect.fork(failure(() => reader.sendRawTransaction({ serializedTransaction })))
      yield* first.sent
      yield* awaited(() => reader.getBalance({ address: recipient }))
      yield* first.kill
      const { message } = yield* Fiber.join(lost)
      assert.include(message, "ethereum-rpc")
      assert.notInclude(message, first.url)

      assert.strictEqual(yield* awaited(() => reader.getBalance(account)), initialBalance)
      const hash = yield* awaited(() => reader.sendRawTransaction({ serializedTransaction }))
      const receipt = yield* awaited(() => reader.waitForTransactionReceipt({ hash }))
      assert.strictEqual(receipt.status, "success")
      assert.strictEqual(yield* second.rpc("eth_getTransactionCount", [account.address, "latest"]), "0x1")
    }
  )

  it.scopedLive("gets an error after both nodes have stopped", function* () {
    const { first, second, url } = yield* nodes
    const { reader } = at(url)
    yield* first.kill
    assert.strictEqual(yield* awaited(() => reader.getBlockNumber()), 0n)
    yield* second.kill
    const error = yield* failure(() => reader.getBalance({ address: recipient }))
    assert.include(error.message, "ethereum-rpc")
    const response = yield* awaited(() =>
      fetch(url, { method: "POST", body: '{"jsonrpc":"2.0","id":7,"method":"eth_gasPrice"}' })
    )
    const body = yield* awaited(() => response.json() as Promise<{ id: unknown; error: { code: unknown } }>)
    assert.deepStrictEqual([response.status, body.id, body.error.code], [502, 7, codes.unanswered])
  })

  layer(ethereum, { excludeTestServices: true })((it) => {
    it("reads the chain, the balance of an address and the state of a contract", function* () {
      const { reader } = yield* client()
      const { rpcs } = yield* Node.Anvil
      const { address } = yield* funded(10)
      const token = "0x1000000000000000000000000000000000000001"
      yield* rpcs([Node.withCode(token, tokenBytecode), Node.withBalance(token, address, 77n)])
      assert.strictEqual(yield* awaited(() => reader.getChainId()), 1)
      assert.strictEqual(yield* awaited(() => reader.getBalance({ address })), initialBalance)
      assert.strictEqual(yield* awaited(() => reader.getCode({ address: token })), tokenBytecode)
      assert.isUndefined(yield* awaited(() => reader.getCode({ address })))
      assert.strictEqual(
        yield* awaited(() => reader.getStorageAt({ address: token, slot: address })),
        numberToHex(77n, { size: 32 })
      )
      assert.strictEqual(
        yield* awaited(() => reader.readContract({ abi, address: token, functionName: "balanceOf", args: [address] })),
        77n
      )
      const number = yield* awaited(() => reader.getBlockNumber())
      const block = yield* awaited(() => reader.getBlock())
      assert.strictEqual(block.number, number)
      assert.deepStrictEqual(yield* awaited(() => reader.getBlock({ blockHash: block.hash })), block)
      const fees = yield* awaited(() => reader.estimateFeesPerGas())
      assert.isTrue(fees.maxFeePerGas > fees.maxPriorityFeePerGas)
      assert.strictEqual(
        yield* awaited(() => reader.estimateGas({ account: address, to: recipient, value: 1n })),
        21_000n
      )
      assert.strictEqual(yield* awaited(() => reader.getTransactionCount({ address })), 0)
      assert.lengthOf(
        (yield* awaited(() => reader.getFeeHistory({ blockCount: 1, rewardPercentiles: [] }))).baseFeePerGas,
        2
      )
    })

    it("sends a transaction, and sees its effects as soon as it has the receipt", function* () {
      const account = yield* funded(11)
      const { reader, walletOf } = yield* client()
      for (const round of [1n, 2n, 3n]) {
        const before = yield* awaited(() => reader.getBalance(account))
        const nonce = yield* awaited(() => reader.getTransactionCount(account))
        const hash = yield* awaited(() => walletOf(account).sendTransaction({ to: recipient, value: round }))
        const receipt = yield* awaited(() => reader.waitForTransactionReceipt({ hash }))
        assert.strictEqual(receipt.status, "success")
        const [after, next, number, found] = yield* awaited(() =>
          Promise.all([
            reader.getBalance(account),
            reader.getTransactionCount(account),
            reader.getBlockNumber(),
            reader.getTransaction({ hash })
          ])
        )
        assert.strictEqual(after, before - round - receipt.gasUsed * receipt.effectiveGasPrice)
        assert.strictEqual(next, nonce + 1)
        assert.strictEqual(number, receipt.blockNumber)
        assert.strictEqual(found.value, round)
      }
    })

    it("gets the same hash when it sends the same transaction again", function* () {
      const account = yield* funded(12)
      const { reader, walletOf } = yield* client()
      const { rpc } = yield* Node.Anvil
      const wallet = walletOf(account)
      const request = yield* awaited(() => wallet.prepareTransactionRequest({ to: recipient, value: 1n }))
      const serializedTransaction = yield* awaited(() => wallet.signTransaction(request as never))
      yield* rpc("evm_setAutomine", [false])
      const send = awaited(() => reader.sendRawTransaction({ serializedTransaction }))
      const hash = yield* send
      assert.strictEqual(hash, keccak256(serializedTransaction))
      assert.strictEqual(yield* send, hash)
      yield* rpc("evm_setAutomine", [true])
      yield* rpc("evm_mine", [])
      yield* awaited(() => reader.waitForTransactionReceipt({ hash }))
      assert.strictEqual(yield* awaited(() => reader.getTransactionCount({ ...account, blockTag: "pending" })), 1)
    })

    it("deploys a contract, calls it directly and through Multicall3, and finds its events", function* () {
      const { account, contract, reader, wallet } = yield* coins(13, 100n)
      assert.strictEqual(yield* awaited(() => reader.getCode(contract)), coinsBytecode)
      const call = { ...contract, functionName: "transfer", args: [recipient, 30n], account } as const
      const { request, result } = yield* awaited(() => reader.simulateContract(call))
      assert.isTrue(result)
      const hash = yield* awaited(() => wallet.writeContract(request))
      const { blockNumber } = yield* awaited(() => reader.waitForTransactionReceipt({ hash }))
      const balanceOf = (holder: typeof recipient) =>
        ({ ...contract, functionName: "balanceOf", args: [holder] }) as const
      const balances = yield* awaited(() =>
        reader.multicall({ contracts: [balanceOf(account.address), balanceOf(recipient), call], allowFailure: true })
      )
      assert.deepStrictEqual(
        balances.map(({ result, status }) => [status, result]),
        [
          ["success", 70n],
          ["success", 30n],
          ["failure", undefined]
        ]
      )
      // In the previous block, the coins had not moved.
      const past = { ...balanceOf(account.address), blockNumber: blockNumber - 1n }
      assert.strictEqual(yield* awaited(() => reader.readContract(past)), 100n)
      const events = yield* awaited(() =>
        reader.getContractEvents({ ...contract, eventName: "Transfer", fromBlock: 0n, args: { to: recipient } })
      )
      assert.deepStrictEqual(
        events.map(({ args, transactionHash }) => [args, transactionHash] as const),
        [[{ from: account.address, to: recipient, value: 30n }, hash]]
      )
    })

    it("decodes the error of a contract", function* () {
      const { account, contract, reader, wallet } = yield* coins(14, 5n)
      const call = { ...contract, functionName: "transfer", args: [recipient, 6n], account } as const
      for (const attempt of [
        () => reader.simulateContract(call),
        () => reader.estimateContractGas(call),
        () => wallet.writeContract(call as never)
      ]) {
        const data = reverted(yield* failure(attempt))
        assert.deepStrictEqual([data?.errorName, data?.args], ["TooLittle", [account.address, 5n, 6n]])
      }
    })

    it("sends many calls in one request, and gets an error only for the call that fails", function* () {
      const bodies: Array<unknown> = []
      const { account, contract } = yield* coins(15, 5n)
      const { reader } = yield* client({
        batch: true,
        onFetchRequest: (_, { body }) => {
          bodies.push(JSON.parse(String(body)))
        }
      })
      const call = { ...contract, functionName: "transfer", args: [recipient, 9n], account } as const
      const [balance, number, code, refused, holding] = yield* awaited(() =>
        Promise.all([
          reader.getBalance({ address: recipient }),
          reader.getBlockNumber(),
          reader.getCode(contract),
          reader.simulateContract(call).catch((error: unknown) => reverted(error)?.errorName),
          reader.readContract({ ...contract, functionName: "balanceOf", args: [account.address] })
        ])
      )
      assert.isTrue(balance >= 0n && number > 0n)
      assert.deepStrictEqual([code, refused, holding] as ReadonlyArray<unknown>, [coinsBytecode, "TooLittle", 5n])
      assert.deepStrictEqual(
        bodies.map((body) => Array.isArray(body) && body.length),
        [5]
      )
      const addresses = Array.from({ length: 100 }, (_, index) => numberToHex(index + 1_000, { size: 20 }))
      const balances = yield* awaited(() => Promise.all(addresses.map((address) => reader.getBalance({ address }))))
      assert.deepStrictEqual(new Set(balances), new Set([0n]))
      assert.lengthOf(bodies, 2)
    })

    it("sends several transactions in one request, and the node receives them in order", function* () {
      const account = yield* funded(18)
      const { reader, walletOf } = yield* client({ batch: true })
      const request = yield* awaited(() => walletOf(account).prepareTransactionRequest({ to: recipient, value: 1n }))
      const signed = yield* awaited(() =>
        Promise.all([0, 1, 2].map((nonce) => account.signTransaction({ ...request, nonce } as never)))
      )
      const [before, ...hashes] = yield* awaited(() =>
        Promise.all([
          reader.getTransactionCount(account),
          ...signed.map((serializedTransaction) => reader.sendRawTransaction({ serializedTransaction }))
        ])
      )
      assert.strictEqual(before, 0)
      assert.deepStrictEqual(
        hashes,
        signed.map((text) => keccak256(text))
      )
      const receipts = yield* awaited(() =>
        Promise.all(hashes.map((hash) => reader.waitForTransactionReceipt({ hash })))
      )
      const [first = 0n] = receipts.map(({ blockNumber }) => blockNumber)
      assert.deepStrictEqual(
        receipts.map(({ blockNumber, status }) => [status, blockNumber - first]),
        [0n, 1n, 2n].map((later) => ["success", later])
      )
      assert.strictEqual(yield* awaited(() => reader.getTransactionCount(account)), 3)
    })

    it("follows blocks and events with filters", function* () {
      const { account, contract, reader, wallet } = yield* coins(16, 100n)
      const blocks = yield* awaited(() => reader.createBlockFilter())
      const events = yield* awaited(() =>
        reader.createContractEventFilter({ ...contract, eventName: "Transfer", args: { from: account.address } })
      )
      const changes = Effect.all([
        awaited(() => reader.getFilterChanges({ filter: blocks })),
        awaited(() => reader.getFilterChanges({ filter: events }))
      ])
      assert.deepStrictEqual(yield* changes, [[], []])
      for (const value of [1n, 2n]) {
        const hash = yield* awaited(() =>
          wallet.writeContract({ ...contract, functionName: "transfer", args: [recipient, value] })
        )
        const { blockHash } = yield* awaited(() => reader.waitForTransactionReceipt({ hash }))
        const [newBlocks, newEvents] = yield* changes
        assert.deepStrictEqual(newBlocks, [blockHash])
        assert.deepStrictEqual(
          newEvents.map(({ args, transactionHash }) => [args.value, transactionHash]),
          [[value, hash]]
        )
      }
      const logs = yield* awaited(() => reader.getFilterLogs({ filter: events }))
      assert.strictEqual(logs.at(-1)?.args.value, 2n)
      assert.isTrue(yield* awaited(() => reader.uninstallFilter({ filter: events })))
      assert.isFalse(yield* awaited(() => reader.uninstallFilter({ filter: events })))
    })

    it("signs a transaction offline from the signing context only, and the node mines it", function* () {
      const account = yield* funded(40)
      const address = yield* url
      const { rpc } = yield* Node.Anvil
      const { reader } = yield* client()
      const service = address.slice(0, address.indexOf("/utils/"))
      const send = Effect.gen(function* () {
        const tip = 1_000n
        const context = yield* contextAt(service, "ethereum", account.address, "evm")
        const serializedTransaction = yield* awaited(() =>
          account.signTransaction({
            chainId: context.chainId,
            nonce: context.pendingNonce,
            to: recipient,
            value: 5n,
            gas: 21_000n,
            maxFeePerGas: 2n * BigInt(context.baseFeePerGas ?? context.gasPrice) + tip,
            maxPriorityFeePerGas: tip
          })
        )
        return { context, hash: yield* awaited(() => reader.sendRawTransaction({ serializedTransaction })) }
      })
      const first = yield* send
      assert.deepStrictEqual([first.context.nonce, first.context.balance], [0, String(initialBalance)])
      assert.strictEqual(first.context.chainId, 1)
      yield* awaited(() => reader.waitForTransactionReceipt({ hash: first.hash }))

      // Pending transactions in the pool use a nonce.
      yield* rpc("evm_setAutomine", [false])
      const second = yield* send
      assert.deepStrictEqual([second.context.nonce, second.context.pendingNonce], [1, 1])
      const third = yield* send
      assert.deepStrictEqual([third.context.nonce, third.context.pendingNonce], [1, 2])
      yield* rpc("evm_mine", [])
      yield* rpc("evm_setAutomine", [true])
      for (const { hash } of [second, third]) {
        const { status } = yield* awaited(() => reader.waitForTransactionReceipt({ hash }))
        assert.strictEqual(status, "success")
      }
    })

    it("gets its ids back unchanged", function* () {
      const address = yield* url
      for (const id of ["9007199254740993", "123456789012345678901234567890", "1.50", "-0", '"\\u0061"', "null"]) {
        const answer = yield* awaited(() =>
          fetch(address, { method: "POST", body: `{"jsonrpc":"2.0","id":${id},"method":"eth_chainId","params":[]}` })
        )
        assert.strictEqual(yield* awaited(() => answer.text()), `{"jsonrpc":"2.0","id":${id},"result":"0x1"}`)
      }
    })
  })
})
