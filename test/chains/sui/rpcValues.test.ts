import { bcs } from "@mysten/sui/bcs"
import { Transaction } from "@mysten/sui/transactions"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Effects from "../../../src/chains/sui/jsonrpc/Effects.ts"
import * as MoveValue from "../../../src/chains/sui/jsonrpc/MoveValue.ts"
import * as TransactionData from "../../../src/chains/sui/jsonrpc/TransactionData.ts"
import { typeName } from "../../../src/chains/sui/SuiWire.ts"
import { assert, describe, it } from "../../support/vitest.ts"

// Bytes written by the official library of Sui must decode to the original values.

describe("a vector of a struct without fields", () => {
  it("is refused unless it is empty: its elements take no bytes, so the bytes would not limit its length", () => {
    const layout = {
      struct: {
        type: "0x9::a::A",
        fields: [{ name: "all", layout: { vector: { struct: { type: "0x9::a::B", fields: [] } } } }]
      }
    }
    for (const bytes of [[0xff, 0xff, 0x7f], [0xff, 0xff, 0xff, 0xff, 0x7f], [1]]) {
      const value = MoveValue.fields({ bcs: Buffer.from(bytes).toString("base64"), type: { layout } }, true)
      assert.strictEqual(Either.getOrUndefined(Either.flip(value)), "a value does not match its type")
    }
    const none = MoveValue.fields({ bcs: Buffer.of(0).toString("base64"), type: { layout } }, true)
    assert.deepStrictEqual(Either.getOrThrow(none), { all: [] })
  })
})

const long = (digits: string) => `0x${digits.padStart(64, "0")}`
const id = long("abc")
const digest = "7xZ5AAjrybwwPjXh7ojKert5v7eSYgzWEREtKrhSGQ7d"

const named = (type: string, fields: Readonly<Record<string, unknown>>) => ({
  struct: { type, fields: Object.entries(fields).map(([name, layout]) => ({ name, layout })) }
})

const uid = named(`${long("2")}::object::UID`, { id: named(`${long("2")}::object::ID`, { bytes: "address" }) })
const text = named(`${long("1")}::string::String`, { bytes: { vector: "u8" } })
const option = (layout: unknown) => named(`${long("1")}::option::Option<T>`, { vec: { vector: layout } })
const point = named(`${long("9")}::shapes::Point<${long("2")}::sui::SUI,u8>`, { x: "u64", y: "u16" })

const layout = named(`${long("9")}::shapes::Shape`, {
  id: uid,
  name: text,
  balance: named(`${long("2")}::balance::Balance<T>`, { value: "u64" }),
  corners: { vector: point },
  raw: { vector: "u8" },
  large: "u256",
  small: "u8",
  on: "bool",
  owner: "address",
  some: option("u64"),
  none: option(text),
  kind: {
    enum: [
      {
        type: `${long("9")}::shapes::Kind`,
        variants: [
          { name: "Plain", fields: [] },
          { name: "Filled", fields: [{ name: "with", layout: "u32" }] }
        ]
      }
    ]
  }
})

const Shape = bcs.struct("Shape", {
  id: bcs.Address,
  name: bcs.string(),
  balance: bcs.u64(),
  corners: bcs.vector(bcs.struct("Point", { x: bcs.u64(), y: bcs.u16() })),
  raw: bcs.vector(bcs.u8()),
  large: bcs.u256(),
  small: bcs.u8(),
  on: bcs.bool(),
  owner: bcs.Address,
  some: bcs.option(bcs.u64()),
  none: bcs.option(bcs.string()),
  kind: bcs.enum("Kind", { Plain: null, Filled: bcs.u32() })
})

const max = 2n ** 256n - 1n
const shape = Shape.serialize({
  id,
  name: "square ☐",
  balance: 2n ** 64n - 1n,
  corners: [{ x: 1n, y: 2 }],
  raw: [0, 255],
  large: max,
  small: 7,
  on: true,
  owner: long("7"),
  some: 5n,
  none: null,
  kind: { Filled: 9 }
})

const plain = {
  id: { id },
  name: "square ☐",
  balance: "18446744073709551615",
  corners: [{ x: "1", y: 2 }],
  raw: [0, 255],
  large: String(max),
  small: 7,
  on: true,
  owner: long("7"),
  some: "5",
  none: null,
  kind: { variant: "Filled", with: 9 }
}

describe("a Move value", () => {
  it("is plain in events, and has the types of nested values in objects", () => {
    const contents = { bcs: shape.toBase64(), type: { layout } }
    assert.deepStrictEqual<unknown>(Either.getOrThrow(MoveValue.fields(contents, false)), plain)
    assert.deepStrictEqual<unknown>(Either.getOrThrow(MoveValue.fields(contents, true)), {
      ...plain,
      corners: [{ type: "0x9::shapes::Point<0x2::sui::SUI, u8>", fields: { x: "1", y: 2 } }],
      kind: { type: "0x9::shapes::Kind", variant: "Filled", fields: { with: 9 } }
    })
  })

  it("is refused if it does not fit its layout", () => {
    const bytes = shape.toBytes()
    const wrong = [bytes.slice(0, -1), Uint8Array.from([...bytes, 0]), new Uint8Array(), new Uint8Array(300).fill(255)]
    for (const uint8Array of wrong)
      assert.isTrue(
        Either.isLeft(MoveValue.fields({ bcs: Buffer.from(uint8Array).toString("base64"), type: { layout } }, true))
      )
    assert.isTrue(Either.isLeft(MoveValue.fields({ bcs: shape.toBase64(), type: {} }, true)))
    assert.isTrue(
      Either.isLeft(MoveValue.fields({ bcs: shape.toBase64(), type: { layout: named("x", { a: "u7" }) } }, true))
    )
    assert.isTrue(Either.isLeft(MoveValue.fields({ bcs: "%", type: { layout } }, true)))
  })
})

describe("a type name", () => {
  it("has no leading zeros in its addresses, including those of its type parameters", () => {
    assert.strictEqual(
      typeName(`${long("2")}::coin::Coin<${long("6864a6")}::a0x0::B<${long("0")}::c::D,u8>>`),
      "0x2::coin::Coin<0x6864a6::a0x0::B<0x0::c::D, u8>>"
    )
  })
})

const all = (build: (transaction: Transaction) => void) =>
  Effect.promise(() => {
    const transaction = new Transaction()
    transaction.setSender(long("a"))
    transaction.setGasOwner(long("b"))
    transaction.setGasPrice(1000n)
    transaction.setGasBudget(2_000_000n)
    transaction.setGasPayment([{ objectId: id, version: "7", digest }])
    build(transaction)
    return transaction.build()
  })

describe("transaction bytes", () => {
  it("decode to commands and inputs of all kinds", function* () {
    const bytes = yield* all((transaction) => {
      const owned = transaction.objectRef({ objectId: id, version: "8", digest })
      const shared = transaction.sharedObjectRef({ objectId: long("6"), initialSharedVersion: "1", mutable: false })
      const receiving = transaction.receivingRef({ objectId: long("5"), version: "9", digest })
      const [coin] = transaction.splitCoins(owned, [18_446_744_073_709_551_615n])
      transaction.mergeCoins(transaction.gas, [coin as never])
      transaction.moveCall({
        target: `${long("d")}::market::buy`,
        typeArguments: ["0x2::coin::Coin<0x2::sui::SUI>", "vector<u16>"],
        arguments: [shared, receiving, transaction.pure.vector("u8", [1, 2])]
      })
      transaction.makeMoveVec({ elements: [owned] })
      transaction.makeMoveVec({ type: "u64", elements: [transaction.pure.u64(3)] })
      transaction.publish({ modules: [[1, 2, 3]], dependencies: [long("1")] })
      transaction.transferObjects([owned], long("f"))
    })
    const data = TransactionData.toJson(Either.getOrThrow(TransactionData.parse(bytes)))
    assert.deepStrictEqual(
      [data.sender, data.gasData],
      [
        long("a"),
        { payment: [{ objectId: id, version: 7, digest }], owner: long("b"), price: "1000", budget: "2000000" }
      ]
    )
    assert.deepStrictEqual<unknown>(data.transaction.inputs, [
      { type: "object", objectType: "immOrOwnedObject", objectId: id, version: "8", digest },
      {
        type: "object",
        objectType: "sharedObject",
        objectId: long("6"),
        initialSharedVersion: "1",
        mutable: false
      },
      { type: "object", objectType: "receiving", objectId: long("5"), version: "9", digest },
      { type: "pure", valueType: "u64", value: "18446744073709551615" },
      { type: "pure", valueType: null, value: [2, 1, 2] },
      { type: "pure", valueType: null, value: [3, 0, 0, 0, 0, 0, 0, 0] },
      { type: "pure", valueType: "address", value: long("f") }
    ])
    assert.deepStrictEqual<unknown>(data.transaction.transactions, [
      { SplitCoins: [{ Input: 0 }, [{ Input: 3 }]] },
      { MergeCoins: ["GasCoin", [{ NestedResult: [0, 0] }]] },
      {
        MoveCall: {
          package: long("d"),
          module: "market",
          function: "buy",
          type_arguments: ["0x2::coin::Coin<0x2::sui::SUI>", "vector<u16>"],
          arguments: [{ Input: 1 }, { Input: 2 }, { Input: 4 }]
        }
      },
      { MakeMoveVec: [null, [{ Input: 0 }]] },
      { MakeMoveVec: ["u64", [{ Input: 5 }]] },
      { Publish: [long("1")] },
      { TransferObjects: [[{ Input: 0 }], { Input: 6 }] }
    ])
  })

  it("are refused if they are cut off or too long, and are encoded with signatures as signed data", function* () {
    const bytes = yield* all((transaction) => transaction.transferObjects([transaction.gas], long("f")))
    for (let length = 0; length < bytes.length; length += 1)
      assert.isTrue(Either.isLeft(TransactionData.parse(bytes.slice(0, length))), String(length))
    assert.isTrue(Either.isLeft(TransactionData.parse(Uint8Array.from([...bytes, 0]))))
    const signatures = [new Uint8Array(97).fill(1), new Uint8Array(300).fill(2)]
    const [signed] = bcs.SenderSignedData.fromBase64(TransactionData.signed(bytes, signatures))
    assert.deepStrictEqual(
      signed?.txSignatures,
      signatures.map((signature) => Buffer.from(signature).toString("base64"))
    )
    assert.deepStrictEqual(bcs.TransactionData.serialize(signed?.intentMessage.value as never).toBytes(), bytes)
  })
})

describe("the kind of change of an object", () => {
  const states = (inputState: string, outputState: string, idOperation: string) =>
    Effects.changeKind({ objectId: id, inputState, outputState, idOperation })

  it("follows from whether the object existed before and exists after", () => {
    assert.deepStrictEqual(
      [
        states("INPUT_OBJECT_STATE_EXISTS", "OUTPUT_OBJECT_STATE_OBJECT_WRITE", "NONE"),
        states("DOES_NOT_EXIST", "OBJECT_WRITE", "CREATED"),
        states("INPUT_OBJECT_STATE_DOES_NOT_EXIST", "OUTPUT_OBJECT_STATE_PACKAGE_WRITE", "ID_OPERATION_CREATED"),
        states("DOES_NOT_EXIST", "OBJECT_WRITE", "NONE"),
        states("EXISTS", "DOES_NOT_EXIST", "DELETED"),
        states("EXISTS", "OUTPUT_OBJECT_STATE_DOES_NOT_EXIST", "NONE"),
        states("DOES_NOT_EXIST", "DOES_NOT_EXIST", "DELETED"),
        states("DOES_NOT_EXIST", "ACCUMULATOR_WRITE", "NONE")
      ],
      ["mutated", "created", "created", "unwrapped", "deleted", "wrapped", "unwrappedThenDeleted", undefined]
    )
  })
})
