import { json } from "../support/http.ts"
import { node, recipientOf } from "../support/statuses.ts"
import { assert, describe, it } from "../support/vitest.ts"

// Responses follow the Ethereum JSON-RPC specification and the reference of rippled.

const address = `0x${"ab".repeat(20)}`

describe("the account at an EVM address", () => {
  const withCode = (code: unknown, chain = "0xa", timestamp = "0x0") =>
    recipientOf(
      address,
      "optimism",
      {
        "node.test": node(({ method }) =>
          method === "eth_getCode" ? code : method === "eth_chainId" ? chain : { number: "0x1b", timestamp }
        )
      },
      { OPTIMISM_RPC_URLS: "http://node.test" }
    )

  it("is one of a key without code or with a delegation, else a contract", function* () {
    assert.deepStrictEqual(yield* withCode("0x"), { kind: "account", isBurnt: false })
    assert.deepStrictEqual(yield* withCode("0x6001"), { kind: "contract", isBurnt: false })
    const delegate = "0x63c0c19a282a1b52b07dd5a65b58948a07dae32b"
    assert.deepStrictEqual(yield* withCode(`0xef0100${delegate.slice(2)}`), {
      kind: "account",
      delegatedTo: { address: delegate, name: "MetaMask" },
      isBurnt: false
    })
  })

  it("is not known from a node that returns no code, is of another chain or behind", function* () {
    for (const code of [null, "", "0x1", 7]) assert.strictEqual(yield* withCode(code), "bad_answer", String(code))
    assert.notDeepEqual(yield* withCode("0x", "0x1"), { kind: "account", isBurnt: false })
  })
})

describe("the account at an address of the XRP Ledger", () => {
  const account = "rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh"
  const info = { validated_ledger: { seq: 94_000_000, age: 2, reserve_base_xrp: 1, reserve_inc_xrp: 0.2 } }
  const drops = { base_fee: "10", median_fee: "10", minimum_fee: "10", open_ledger_fee: "10" }
  const withAccount = (result: object, server: object = info) =>
    recipientOf(
      account,
      "ripple",
      {
        "node.test": ({ body }) => {
          const { method } = JSON.parse(body) as { readonly method: string }
          const results: Readonly<Record<string, object>> = {
            server_info: { info: server, status: "success" },
            fee: { current_queue_size: "0", drops, status: "success" }
          }
          return json({ result: results[method] ?? result })
        }
      },
      { RIPPLE_RPC_URLS: "http://node.test" }
    )
  const withFlags = (Flags: unknown, Account = account) =>
    withAccount({ account_data: { Account, Flags }, status: "success", validated: true })

  it("needs a tag if its owner has set the flag", function* () {
    assert.deepStrictEqual(yield* withFlags(0x0002_0000), { kind: "account", needsTag: true, isBurnt: false })
    assert.deepStrictEqual(yield* withFlags(0x0013_0000), { kind: "account", needsTag: true, isBurnt: false })
    assert.deepStrictEqual(yield* withFlags(0x0011_0000), { kind: "account", needsTag: false, isBurnt: false })
  })

  it("may not exist, and is not known from other responses or an old ledger", function* () {
    const missing = { error: "actNotFound", error_code: 19, error_message: "Account not found.", status: "error" }
    assert.deepStrictEqual(yield* withAccount(missing), { kind: null, isBurnt: false })
    assert.strictEqual(yield* withFlags(-1), "bad_answer")
    assert.strictEqual(yield* withFlags(0, "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"), "bad_answer")
    const old = { validated_ledger: { ...info.validated_ledger, age: 100_000 } }
    assert.isString(yield* withAccount({ account_data: { Account: account, Flags: 0 }, status: "success" }, old))
  })
})
