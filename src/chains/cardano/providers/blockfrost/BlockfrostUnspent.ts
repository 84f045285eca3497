import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { CardanoOutput } from "../../../../domain/TransactionContext.ts"
import { lookups } from "../../../../kernel/collections/lookups.ts"
import { each } from "../../../../kernel/each.ts"
import { timeoutOption } from "../../../../kernel/timeout.ts"
import { isStake } from "../../CardanoAddress.ts"
import { scriptSize } from "../../formats.ts"
import type { CardanoProvider } from "../../Provider.ts"
import { maxOutputs } from "../readPages.ts"
import * as calls from "./calls.ts"
import type { Get, Pages } from "./reading.ts"

type OutputRows = typeof calls.addressUtxos.response.Type

const toOutputs = (rows: OutputRows, sizes: ReadonlyMap<string, number | null>): ReadonlyArray<CardanoOutput> =>
  rows.map((row) => ({
    txHash: row.tx_hash,
    index: row.output_index,
    address: row.address,
    lovelace: String(row.amount.find(({ unit }) => unit === "lovelace")?.quantity ?? 0n),
    assets: row.amount.flatMap(({ quantity, unit }) =>
      unit === "lovelace" ? [] : [{ unit, quantity: String(quantity) }]
    ),
    datumHash: row.data_hash ?? null,
    inlineDatum: row.inline_datum ?? null,
    referenceScript: row.reference_script_hash ?? null,
    referenceScriptSize: sizes.get(row.reference_script_hash ?? "") ?? null
  }))

/** Maximum scripts that are looked up for the outputs of an address. */
const maxScripts = 10

/** Longest wait for the size of a script: the outputs are known without it. */
const maxWait = "2 seconds"

/** The sizes of the scripts of outputs, by hash. Cannot fail: a size that is not read is null. */
const scriptSizes = (get: Get) =>
  Effect.map(
    lookups({
      capacity: 1_000,
      // A script never changes.
      timeToLive: (exit) => (Exit.isSuccess(exit) ? "1 day" : "10 seconds"),
      lookup: (hash: string) =>
        Effect.map(get(calls.script, { hash }), (found) => scriptSize(Option.getOrUndefined(found)?.serialised_size))
    }),
    (sizeOf) => (rows: OutputRows) => {
      const hashes = rows.flatMap(({ reference_script_hash: hash }) => hash ?? [])
      const known = [...new Set(hashes)].filter((hash) => /^[0-9a-f]{56}$/.test(hash)).slice(0, maxScripts)
      const read = (hash: string) =>
        Effect.map(
          timeoutOption(Effect.option(sizeOf(hash)), maxWait),
          (size) => [hash, Option.getOrNull(Option.flatten(size))] as const
        )
      return Effect.map(each(known, read, 4), (pairs) => new Map(pairs))
    }
  )

/** Reads the outputs of an address or an account; one that was never used has none. */
export const make = (get: Get, pages: Pages): Effect.Effect<CardanoProvider["unspent"]> =>
  Effect.map(scriptSizes(get), (sizesOf) => (requested) => {
    const call = isStake(requested) ? calls.accountUtxos : calls.addressUtxos
    const key = ({ output_index, tx_hash }: OutputRows[number]) => `${tx_hash}#${output_index}`
    return Effect.flatMap(pages(call, requested, key, maxOutputs), ({ more, rows }) =>
      Effect.map(sizesOf(rows), (sizes) => ({ more, outputs: toOutputs(rows, sizes) }))
    )
  })
