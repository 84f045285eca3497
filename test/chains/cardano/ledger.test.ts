import { assert, describe, it } from "@effect/vitest"
import { stakeOf } from "../../../src/chains/cardano/CardanoAddress.ts"
import {
  type CardanoLedgerTransaction,
  concerns,
  type Flow,
  toTransaction
} from "../../../src/chains/cardano/ledger.ts"
import { height, seconds } from "../../../src/domain/units.ts"
import { payment, policy, stake } from "../../support/cardano.ts"

const [alice, bob, carol] = [payment(1), payment(2), payment(3)]
const [min, snek] = [`${policy}4d494e`, `${policy}534e454b`]

const flow = (address: string, lovelace: bigint, assets: Readonly<Record<string, bigint>> = {}): Flow => ({
  address,
  lovelace,
  assets: Object.entries(assets).map(([unit, quantity]) => ({ unit, quantity }))
})

const made = (facts: Partial<CardanoLedgerTransaction>): CardanoLedgerTransaction => ({
  hash: "aa",
  timestamp: seconds(1_700_000_000),
  height: height(10),
  index: 2,
  fee: 200n,
  deposit: 0n,
  valid: true,
  delegates: false,
  inputs: [],
  outputs: [],
  collateral: [],
  rewards: [],
  ...facts
})

const seen = (holder: string, facts: Partial<CardanoLedgerTransaction>) => {
  const { from, status, to, type } = toTransaction(holder, made(facts))
  return { type, status, from, to }
}

const party = (address: string, amount: bigint, token?: string) =>
  token === undefined ? { address, amount } : { address, amount, token }

describe("a Cardano transaction in a history", () => {
  it("does not concern the holder if it lists an input or an output twice, or has no inputs outside the genesis block, or creates coins", () => {
    const isOwn = concerns(alice)
    const spending = (index: number): Flow => ({ ...flow(alice, 205n), output: `aa#${index}` })
    assert.isTrue(isOwn(made({ inputs: [spending(0), spending(1)] })))
    assert.isFalse(isOwn(made({ inputs: [spending(0), spending(0)] })))
    const created = { ...flow(alice, 5n), output: "bb#0" }
    assert.isTrue(isOwn(made({ inputs: [spending(0)], outputs: [created] })))
    assert.isFalse(isOwn(made({ inputs: [spending(0)], outputs: [created, created] })))
    assert.isFalse(isOwn(made({ inputs: [spending(0)], outputs: [{ ...created, lovelace: 6n }] })))
    assert.isFalse(isOwn(made({ outputs: [flow(alice, 5n)] })))
    assert.isTrue(isOwn(made({ outputs: [flow(alice, 5n)], height: null })))
  })

  it("shows the sent amount minus the change, without the fee", () => {
    const ledgered = made({
      inputs: [flow(alice, 10_000n), flow(alice, 5_000n)],
      outputs: [flow(bob, 3_000n), flow(alice, 11_800n)]
    })
    assert.deepStrictEqual(toTransaction(alice, ledgered), {
      hash: "aa",
      type: "Send",
      fee: 200n,
      status: "Success",
      timestamp: seconds(1_700_000_000),
      block: height(10),
      order: 10 * 65_536 + 2,
      from: [party(alice, 3_000n)],
      to: [party(bob, 3_000n)]
    })
    assert.strictEqual(toTransaction(bob, ledgered).type, "Receive")
  })

  it("lists every asset of an output, with all digits", () => {
    const max = 9_223_372_036_854_775_807n
    assert.deepStrictEqual(
      seen(bob, {
        inputs: [flow(alice, 2_000_200n, { [min]: max, [snek]: 5n, [policy]: 1n })],
        outputs: [flow(bob, 1_200_000n, { [min]: max, [policy]: 1n }), flow(alice, 800_000n, { [snek]: 5n })]
      }),
      {
        type: "Receive",
        status: "Success",
        from: [party(alice, 1_200_000n), party(alice, max, min), party(alice, 1n, policy)],
        to: [party(bob, 1_200_000n), party(bob, max, min), party(bob, 1n, policy)]
      }
    )
  })

  it("charges each payer a share of the fee in proportion to its inputs", () => {
    assert.deepStrictEqual(
      seen(bob, {
        inputs: [flow(bob, 1_000n), flow(alice, 9_000n)],
        outputs: [flow(carol, 5_800n), flow(alice, 4_000n)]
      }),
      {
        type: "Send",
        status: "Success",
        from: [party(bob, 980n), party(alice, 4_820n)],
        to: [party(carol, 5_800n)]
      }
    )
  })

  it("never shows coins that an address did not receive, even if the fee exceeds what the largest payer gives", () => {
    assert.deepStrictEqual(seen(alice, { inputs: [flow(alice, 130n), flow(bob, 120n)], outputs: [flow(carol, 50n)] }), {
      type: "Send",
      status: "Success",
      from: [party(alice, 26n), party(bob, 24n)],
      to: [party(carol, 50n)]
    })
    assert.deepStrictEqual(seen(alice, { inputs: [flow(alice, 130n), flow(bob, 70n)] }), {
      type: "Send",
      status: "Success",
      from: [party(alice, 0n), party(bob, 0n)],
      to: [party(alice, 0n), party(bob, 0n)]
    })
  })

  it("between the addresses of an account is shown as a transfer of the account to itself", () => {
    const account = stake(4)
    const own = (address: string, lovelace: bigint) => ({ ...flow(address, lovelace), account })
    const facts = { inputs: [own(alice, 9_000n)], outputs: [own(carol, 8_800n)] }
    assert.deepStrictEqual(seen(account, facts), {
      type: "Send",
      status: "Success",
      from: [party(account, 0n)],
      to: [party(account, 0n)]
    })
    assert.deepStrictEqual(seen(alice, facts).to, [party(carol, 8_800n)])
    // If the upstream does not return the account, it is read from the address.
    const address =
      "addr1q8wv876ptu0qhujmh2awdcnpcc0ctgdz8e8qvv29k8hucwft99azzjfn9l2658p483uljfdd00ef5rzg58y5km6gj9jqcp0ws7"
    const its = "stake1uy4jj73pfyejl4d2rs6nc70eykkhhu56p3y2rj2tdayfzeqnjyh0j"
    assert.strictEqual(stakeOf(address), its)
    assert.isUndefined(stakeOf("addr1v8djv8h2ws084wc92rwau0u73wtnsw8x3fm6uw292npscwsx2xc98"))
    assert.isUndefined(stakeOf("Ae2tdPwUPEZ9vtyppa1FdJzvqJZkEcXgdHxVYAzTWcPaoNycVq5rc36LC1S"))
    assert.deepStrictEqual(seen(its, { inputs: [flow(address, 900n)], outputs: [flow(bob, 700n)] }).from, [
      party(its, 700n)
    ])
  })

  it("that goes back to its sender shows amounts of zero", () => {
    assert.deepStrictEqual(seen(alice, { inputs: [flow(alice, 900n)], outputs: [flow(alice, 700n)] }), {
      type: "Send",
      status: "Success",
      from: [party(alice, 0n)],
      to: [party(alice, 0n)]
    })
  })

  it("shows rewards as sent by the account, or as zero within the account", () => {
    const facts = {
      inputs: [flow(alice, 900n)],
      outputs: [flow(alice, 5_700n)],
      rewards: [{ account: stake(4), lovelace: 5_000n }]
    }
    assert.deepStrictEqual(seen(alice, facts), {
      type: "Withdrawal",
      status: "Success",
      from: [party(stake(4), 5_000n), party(alice, 0n)],
      to: [party(alice, 5_000n)]
    })
    const inside = {
      ...facts,
      inputs: [{ ...flow(alice, 900n), account: stake(4) }],
      outputs: [{ ...flow(alice, 5_700n), account: stake(4) }]
    }
    assert.deepStrictEqual(seen(stake(4), inside), {
      type: "Withdrawal",
      status: "Success",
      from: [party(stake(4), 0n)],
      to: [party(stake(4), 0n)]
    })
  })

  it("shows a deposit without a recipient, and its return without a sender", () => {
    const taken = { inputs: [flow(alice, 9_000n)], outputs: [flow(alice, 6_800n)], deposit: 2_000n }
    assert.deepStrictEqual(seen(alice, taken), {
      type: "Registration",
      status: "Success",
      from: [party(alice, 2_000n)],
      to: []
    })
    assert.strictEqual(seen(alice, { ...taken, delegates: true }).type, "Delegation")
    assert.deepStrictEqual(
      seen(alice, { inputs: [flow(alice, 1_000n)], outputs: [flow(alice, 2_800n)], deposit: -2_000n }),
      { type: "Deregistration", status: "Success", from: [party(alice, 0n)], to: [party(alice, 2_000n)] }
    )
  })

  it("shows minted assets without a sender, and burned assets without a recipient", () => {
    assert.deepStrictEqual(seen(alice, { inputs: [flow(alice, 900n)], outputs: [flow(alice, 700n, { [min]: 7n })] }), {
      type: "Mint",
      status: "Success",
      from: [party(alice, 0n)],
      to: [party(alice, 7n, min)]
    })
    assert.deepStrictEqual(
      seen(alice, { inputs: [flow(alice, 900n, { [min]: 7n })], outputs: [flow(alice, 700n, { [min]: 2n })] }),
      { type: "Burn", status: "Success", from: [party(alice, 5n, min)], to: [] }
    )
  })

  it("that exchanges assets shows both assets", () => {
    assert.deepStrictEqual(
      seen(alice, {
        inputs: [flow(alice, 9_000n), flow(bob, 1_000n, { [min]: 70n })],
        outputs: [flow(alice, 4_800n, { [min]: 70n }), flow(bob, 5_000n)]
      }),
      {
        type: "Send",
        status: "Success",
        from: [party(alice, 4_000n), party(bob, 70n, min)],
        to: [party(alice, 70n, min), party(bob, 4_000n)]
      }
    )
  })

  it("of the genesis block has no sender", () => {
    const { order, from, to, type } = toTransaction(
      alice,
      made({ height: null, index: 0, fee: 0n, outputs: [flow(alice, 538_861_000_000n)] })
    )
    assert.deepStrictEqual(
      { order, from, to, type },
      { order: 0, from: [], to: [party(alice, 538_861_000_000n)], type: "Receive" }
    )
  })

  it("whose script failed costs the collateral, and shows an amount of zero", () => {
    assert.deepStrictEqual(
      seen(alice, {
        valid: false,
        fee: 3_000n,
        inputs: [flow(alice, 5_000n, { [min]: 1n })],
        collateral: [flow(alice, 5_000n, { [min]: 1n })],
        outputs: [flow(alice, 2_000n, { [min]: 1n })]
      }),
      { type: "Send", status: "Failed", from: [party(alice, 0n)], to: [] }
    )
  })

  it("ignores the collateral if the script is valid", () => {
    assert.deepStrictEqual(
      seen(alice, {
        inputs: [flow(alice, 900n)],
        collateral: [flow(alice, 900n), flow(carol, 5n)],
        outputs: [flow(bob, 700n)]
      }).from,
      [party(alice, 700n)]
    )
  })
})
