import * as Schema from "effect/Schema"
import * as Call from "../../../../upstream/Call.ts"
import { Uint32 } from "../../../kit/holdings/amounts.ts"

// The legacy JSON-RPC of Substrate nodes, groups `author`, `chain`, `state` and `system`.

/** The address of the documentation. @public */
export const documentation = "https://polkadot.js.org/docs/substrate/rpc"

const Bytes = Schema.TemplateLiteral("0x", Schema.String).pipe(Schema.filter((text) => /^0x([0-9a-f]{2})*$/.test(text)))

const Hash = Schema.String.pipe(Schema.pattern(/^0x[0-9a-f]{64}$/))

const none = () => []

export const storageAt = Call.rpc("state_queryStorageAt", {
  perOpen: { balance: 1 },
  note: "Returns a key without a value as null, at the best block. Some nodes do not offer it.",
  params: ({ keys }: { readonly keys: ReadonlyArray<string> }) => [keys] as const,
  response: Schema.Tuple(Schema.Struct({ changes: Schema.Array(Schema.Tuple(Schema.String, Schema.NullOr(Bytes))) }))
})

interface StorageItem {
  readonly key: string
  /** The hash of a block; the best block without it. */
  readonly at?: string | null
}

export const storage = Call.rpc("state_getStorage", {
  params: ({ at, key }: StorageItem): ReadonlyArray<string | null> => (at === undefined ? [key] : [key, at]),
  response: Schema.NullOr(Bytes)
})

export const runtimeCall = Call.rpc("state_call", {
  note: "Calls a function of the runtime; its result is encoded as SCALE.",
  params: ({ input, name }: { readonly input: string; readonly name: string }) => [name, input] as const,
  response: Schema.Unknown
})

export const runtimeName = Call.rpc("state_getRuntimeVersion", {
  params: none,
  response: Schema.Struct({ specName: Schema.String })
})

export const runtimeVersion = Call.rpc("state_getRuntimeVersion", {
  params: none,
  response: Schema.Struct({
    specName: Schema.String,
    specVersion: Uint32.pipe(Schema.positive()),
    transactionVersion: Uint32.pipe(Schema.positive())
  })
})

export const blockHash = Call.rpc("chain_getBlockHash", {
  params: ({ height }: { readonly height: number }) => [height] as const,
  response: Hash
})

export const finalizedHead = Call.rpc("chain_getFinalizedHead", { params: none, response: Hash })

export const header = Call.rpc("chain_getHeader", {
  params: ({ hash }: { readonly hash: string }) => [hash] as const,
  response: Schema.Struct({ number: Schema.String.pipe(Schema.pattern(/^0x[0-9a-f]{1,8}$/)) })
})

export const nextIndex = Call.rpc("system_accountNextIndex", {
  note: "The next nonce of an account, with the transactions in the pool.",
  params: ({ address }: { readonly address: string }) => [address] as const,
  response: Uint32
})

export const submit = Call.rpc("author_submitExtrinsic", {
  note: "Codes of its errors as in polkadot-sdk, substrate/client/rpc-api/src/author/error.rs.",
  params: ({ hex }: { readonly hex: string }) => [hex] as const,
  response: Hash
})
