import { Address, beginCell, external, internal, SendMode, storeMessage } from "@ton/core"
import { keyPairFromSeed } from "@ton/crypto"
import { WalletContractV4 } from "@ton/ton"
import * as Either from "effect/Either"
import { wallets } from "../../../src/sandbox/ton/tonWallets.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { Ton } from "../../support/networks.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const now = 1_790_000_000_000

describe("the wallets of the simulated TON", () => {
  it("send jettons through their jetton wallet, and fail if its balance is too low", function* () {
    const world = World.make()
    const facts = { ...Ton.info, world }
    const [jetton = assert.fail("no jetton")] = World.contractsOn(facts.platform)
    const { publicKey, secretKey } = keyPairFromSeed(Buffer.alloc(32, 5))
    const { address, ...contract } = WalletContractV4.create({ workchain: 0, publicKey })
    const sender = address.toRawString()
    const recipient = `0:${"ab".repeat(32)}`
    yield* world.set("ton", sender, 10n ** 10n)
    yield* world.set("ton", sender, 5_000n, jetton.address)
    const own = wallets(facts)
    const master = Address.parse(jetton.address).toRawString()
    const send = (amount: bigint, at: number) => {
      const body = beginCell().storeUint(0x0f8a7ea5, 32).storeUint(0, 64).storeCoins(amount)
      const transfer = WalletContractV4.create({ workchain: 0, publicKey }).createTransfer({
        seqno: own.seqno(sender),
        secretKey,
        sendMode: SendMode.PAY_GAS_SEPARATELY,
        timeout: 4_000_000_000,
        messages: [
          internal({
            to: Address.parseRaw(`0:${sender.slice(-32)}${master.slice(-32)}`),
            value: 50_000_000n,
            body: body.storeAddress(Address.parseRaw(recipient)).endCell()
          })
        ]
      })
      const message = external({ to: address, init: contract.init, body: transfer })
      const sent = own.send(beginCell().store(storeMessage(message)).endCell().toBoc().toString("base64"), at)
      world.state.settleDue(at / 1000 + 4)
      return sent
    }
    const before = World.tokenBalance(facts, jetton, recipient)
    assert.isTrue(Either.isRight(send(3_000n, now)))
    assert.strictEqual(World.tokenBalance(facts, jetton, sender), 2_000n)
    assert.strictEqual(World.tokenBalance(facts, jetton, recipient), before + 3_000n)
    assert.isTrue(Either.isRight(send(3_000n, now + 60_000)))
    assert.strictEqual(World.tokenBalance(facts, jetton, sender), 2_000n)
    assert.strictEqual(World.native(facts, sender), 10n ** 10n - 6_000_000n)
  })
})
