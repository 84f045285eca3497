import type { RedisClient } from "bun"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { nameOfHost } from "./Address.ts"
import { slotCount, slotOf } from "./slots.ts"

/** The name of the server with each slot. */
export type Owners = ReadonlyArray<string | undefined>

/** The servers in use by name: one for all slots, or the nodes of a Cluster. */
export const make = () => {
  const clients = new Map<string, RedisClient>()
  let owners: Array<string | undefined> = []
  let only: string | undefined
  const names = () => new Set(only === undefined ? owners.filter((name) => name !== undefined) : [only])

  const set = (name: string, client: RedisClient): void => {
    const before = clients.get(name)
    if (before !== client) before?.close()
    clients.set(name, client)
  }

  /** Closes clients of servers that have no slots. */
  const prune = () => {
    const used = names()
    for (const [name, client] of clients) {
      if (used.has(name)) continue
      client.close()
      clients.delete(name)
    }
  }

  return {
    clients,
    names,
    isCluster: (): boolean => owners.length > 0,
    /** True if each server in use has a client. */
    isComplete: (): boolean => names().size > 0 && [...names()].every((name) => clients.has(name)),
    nameOf: (key: string): string => only ?? owners[slotOf(key)] ?? "",
    set,
    useServer: (name: string, client: RedisClient): void => {
      only = name
      owners = []
      set(name, client)
      prune()
    },
    useNodes: (next: Owners): void => {
      only = undefined
      owners = [...next]
      prune()
    },
    move: (slot: number, name: string): void => {
      if (slot < owners.length) owners[slot] = name
    },
    close: (): void => {
      for (const client of clients.values()) client.close()
    }
  }
}

export type Layout = ReturnType<typeof make>

export const Port = Schema.Int.pipe(Schema.between(1, 65_535))
const Slot = Schema.Int.pipe(Schema.between(0, slotCount - 1))

/** `CLUSTER SLOTS`: ranges of slots, each with its primary and then its replicas. */
const Slots = Schema.Array(
  Schema.Tuple([Slot, Slot, Schema.Tuple([Schema.NullOr(Schema.String), Port], Schema.Unknown)], Schema.Unknown)
).pipe(Schema.maxItems(slotCount))

/** The primary of each slot, by what a node of this host says. A missing host is that of the node itself. */
export const ownersOf = (said: unknown, self: string): Either.Either<Owners, unknown> =>
  Either.map(Schema.decodeUnknownEither(Slots)(said), (ranges) => {
    const owners = Array.from({ length: slotCount }, (): string | undefined => undefined)
    for (const [from, to, [named, port]] of ranges) {
      const host = named === null || named === "" || named === "?" ? self : named
      owners.fill(nameOfHost({ host, port }), from, to + 1)
    }
    return owners
  })
