import type * as Brand from "effect/Brand"
import * as Predicate from "effect/Predicate"
import type { ByNetwork, NetworkName } from "../client/types.ts"

/** A request as a caller writes it: ids are plain texts, which the client checks, and optional members may be undefined. */
export type Plain<A> = A extends string & Brand.Brand<infer _>
  ? string
  : A extends ReadonlyArray<unknown>
    ? { readonly [Index in keyof A]: Member<Index, A[Index]> }
    : { readonly [Key in keyof A]: Member<Key, A[Key]> | OptionalIn<A, Key> }

type OptionalIn<A, Key extends keyof A> = string extends Key
  ? never
  : Record<never, never> extends Pick<A, Key>
    ? undefined
    : never

/** Ids of networks complete, as keys too. */
type Member<Key, Value> = Key extends "network"
  ? NetworkName
  : Key extends "networks"
    ? ByNetwork<Plain<Value[keyof Value]>>
    : Plain<Value>

const withMember = (object: object, name: string, value: unknown) =>
  // An assignment to `__proto__` would lose the member.
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })

/** The value without members that are undefined, at any depth. `copies` has the objects that were met. */
export const withoutUndefined = (value: unknown, copies: Map<unknown, object> = new Map()): unknown => {
  const isPlain = Predicate.isRecord(value) && Object.getPrototypeOf(value) === Object.prototype
  if (!isPlain && !Array.isArray(value)) return value
  const found = copies.get(value)
  if (found !== undefined) return found
  const copy: object = isPlain ? {} : []
  copies.set(value, copy)
  for (const [name, each] of Object.entries(value))
    if (each !== undefined || !isPlain) withMember(copy, name, withoutUndefined(each, copies))
  return copy
}
