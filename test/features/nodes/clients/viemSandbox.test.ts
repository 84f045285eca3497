import * as Effect from "effect/Effect"
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  erc20Abi,
  http,
  type PrivateKeyAccount,
  parseEventLogs,
  parseGwei,
  type Transport
} from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { base, baseSepolia } from "viem/chains"
import * as Catalogue from "../../../../src/catalogue/Catalogue.ts"
import * as World from "../../../../src/sandbox/world/World.ts"
import { Proxy } from "../../../support/proxy.ts"
import { assert, describe, layer } from "../../../support/vitest.ts"

const info = Catalogue.all.find(({ chainId }) => chainId === base.id)
if (info === undefined) throw new Error("no such network")

/** Generates accounts until one has an address that fits in the simulated world. */
const account = (fits: (address: string) => boolean): PrivateKeyAccount => {
  for (;;) {
    const item = privateKeyToAccount(generatePrivateKey())
    if (fits(item.address.toLowerCase())) return item
  }
}

const rich = () => account((address) => World.native(info, address) > 10n ** 16n)
const poor = () => account((address) => World.native(info, address) === 0n)

const clients = (sender: PrivateKeyAccount) =>
  Effect.map(Proxy, ({ url }) => {
    const options = {
      chain: base,
      transport: http(`${url}/utils/rpc/base`, { retryCount: 0 }) as Transport,
      pollingInterval: 50
    }
    return { reader: createPublicClient(options), wallet: createWalletClient({ ...options, account: sender }) }
  })

const failure = (promise: Promise<unknown>) =>
  Effect.promise(() =>
    promise.then(
      () => assert.fail("did not fail"),
      (error: Error) => error.message
    )
  )

const to = "0x00000000219ab540356cbb839cbe05303d7705fa"

describe.concurrent("viem with a simulated EVM network", () => {
  layer(Proxy.layer, { excludeTestServices: true })((it) => {
    it("reads the chain, its blocks and the balance of an address", function* () {
      const sender = rich()
      const { reader } = yield* clients(sender)
      const [id, number, balance, block, code] = yield* Effect.promise(() =>
        Promise.all([
          reader.getChainId(),
          reader.getBlockNumber(),
          reader.getBalance(sender),
          reader.getBlock({ blockTag: "finalized" }),
          reader.getCode({ address: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913" })
        ])
      )
      assert.strictEqual(id, base.id)
      assert.strictEqual(balance, World.native(info, sender.address.toLowerCase()))
      assert.isBelow(Number(block.number), Number(number))
      assert.isDefined(code)
      const [parent, again] = yield* Effect.promise(() =>
        Promise.all([reader.getBlock({ blockNumber: block.number - 1n }), reader.getBlock({ blockHash: block.hash })])
      )
      assert.strictEqual(parent.hash, block.parentHash)
      assert.strictEqual(block.timestamp - parent.timestamp, 2n)
      assert.deepStrictEqual(again, block)
      const fees = yield* Effect.promise(() => reader.getFeeHistory({ blockCount: 4, rewardPercentiles: [50] }))
      assert.lengthOf(fees.baseFeePerGas, 5)
      assert.lengthOf(fees.reward ?? [], 4)
    })

    it("fills in, signs, sends and finds a transaction", function* () {
      const sender = rich()
      const { reader, wallet } = yield* clients(sender)
      const nonce = yield* Effect.promise(() => reader.getTransactionCount(sender))
      const hash = yield* Effect.promise(() => wallet.sendTransaction({ to, value: 1_000n }))
      const waiting = yield* Effect.promise(() => reader.getTransactionCount({ ...sender, blockTag: "pending" }))
      assert.strictEqual(waiting, nonce + 1)
      const receipt = yield* Effect.promise(() => reader.waitForTransactionReceipt({ hash }))
      assert.strictEqual(receipt.status, "success")
      assert.strictEqual(receipt.from, sender.address.toLowerCase())
      assert.strictEqual(receipt.gasUsed, 21_000n)
      const [found, block, next] = yield* Effect.promise(() =>
        Promise.all([
          reader.getTransaction({ hash }),
          reader.getBlock({ blockHash: receipt.blockHash }),
          reader.getTransactionCount(sender)
        ])
      )
      assert.strictEqual(found.value, 1_000n)
      assert.strictEqual(found.blockNumber, block.number)
      assert.include(block.transactions, hash)
      assert.strictEqual(next, nonce + 1)
      assert.include(
        yield* failure(wallet.sendTransaction({ to, value: 1n, nonce, gas: 21_000n })),
        "lower than the current nonce"
      )
    })

    it("sends legacy transactions", function* () {
      for (const kind of ["legacy", "eip2930"] as const) {
        const sender = rich()
        const { reader, wallet } = yield* clients(sender)
        const hash = yield* Effect.promise(() => wallet.sendTransaction({ to, value: 1n, type: kind } as never))
        const found = yield* Effect.promise(() => reader.getTransaction({ hash }))
        assert.strictEqual(found.type, kind)
        assert.strictEqual(found.from, sender.address.toLowerCase())
      }
    })

    it("gets the reason when a transaction is rejected", function* () {
      const { reader, wallet } = yield* clients(poor())
      assert.include(
        yield* failure(wallet.sendTransaction({ to, value: 1n, gas: 21_000n })),
        "exceeds the balance of the account"
      )
      assert.include(yield* failure(wallet.sendTransaction({ to, value: 1n })), "insufficient funds for transfer")
      const sender = rich()
      const other = yield* Effect.promise(() =>
        sender.signTransaction({ to, gas: 21_000n, gasPrice: parseGwei("2"), nonce: 0, chainId: baseSepolia.id })
      )
      assert.include(yield* failure(reader.sendRawTransaction({ serializedTransaction: other })), "invalid chain id")
      assert.include(
        yield* failure(reader.sendRawTransaction({ serializedTransaction: "0x02f870" })),
        "rlp: value size exceeds available input length"
      )
    })

    it("gets an error for a transaction that was not sent", function* () {
      const { reader } = yield* clients(poor())
      const hash = `0x${"ab".repeat(32)}` as const
      assert.include(yield* failure(reader.getTransaction({ hash })), "could not be found")
      assert.include(yield* failure(reader.getTransactionReceipt({ hash })), "could not be found")
    })

    it("transfers a token and finds its event in the receipt, or gets the revert", function* () {
      const [usdc] = World.contractsOn(info.platform).filter(({ coin }) => coin.id === "usd-coin")
      if (usdc === undefined) return assert.fail("no such token")
      const address = usdc.address as `0x${string}`
      const sender = account(
        (text) => World.native(info, text) > 10n ** 16n && World.tokenBalance(info, usdc, text) > 0n
      )
      const amount = World.tokenBalance(info, usdc, sender.address.toLowerCase())
      const { reader, wallet } = yield* clients(sender)
      const call = { address, abi: erc20Abi, functionName: "transfer" } as const
      assert.include(
        yield* failure(reader.simulateContract({ ...call, account: sender, args: [to, amount + 1n] })),
        "ERC20: transfer amount exceeds balance"
      )
      const { request } = yield* Effect.promise(() =>
        reader.simulateContract({ ...call, account: sender, args: [to, amount] })
      )
      const hash = yield* Effect.promise(() => wallet.writeContract(request))
      const receipt = yield* Effect.promise(() => reader.waitForTransactionReceipt({ hash }))
      const [log] = parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs: receipt.logs })
      assert.deepStrictEqual([log?.args.to.toLowerCase(), log?.args.value], [to, amount])
      assert.lengthOf(receipt.logs, 1)
    })

    for (const facts of Catalogue.all.filter(({ chainId = 0 }) => [10, 56, 137, 8453, 42161, 43114].includes(chainId)))
      it(`reads and uses a test network of ${facts.name} with other balances`, function* () {
        const { url } = yield* Proxy
        const at = (path: string) =>
          createPublicClient({ transport: http(`${url}/utils/rpc/${facts.id}${path}`, { retryCount: 0 }) })
        const [main, test] = [at(""), at("/testnet")]
        const id = yield* Effect.promise(() => test.getChainId())
        assert.notStrictEqual(id, yield* Effect.promise(() => main.getChainId()))
        const address = account((holder) => World.native(facts, holder) > 0n).address
        assert.notStrictEqual(
          yield* Effect.promise(() => test.getBalance({ address })),
          yield* Effect.promise(() => main.getBalance({ address }))
        )
        const known = defineChain({ ...base, id })
        const sender = account(
          (holder) => World.native({ ...facts, id: `${facts.id}-testnet` as never }, holder) > 10n ** 16n
        )
        const wallet = createWalletClient({
          account: sender,
          chain: known,
          transport: http(`${url}/utils/rpc/${facts.id}/testnet`, { retryCount: 0 })
        })
        const hash = yield* Effect.promise(() => wallet.sendTransaction({ to, value: 1n }))
        assert.strictEqual((yield* Effect.promise(() => test.getTransaction({ hash }))).hash, hash)
      })
  })
})
