import { inspect } from "node:util"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { slot } from "../../../../domain/units.ts"
import { answerOf, answersOf, type BoundCall, bound, isRefused, readAs } from "../../../../jsonrpc/boundCalls.ts"
import { missing } from "../../../../jsonrpc/Client.ts"
import { callAll } from "../../../../jsonrpc/callAll.ts"
import { codes } from "../../../../jsonrpc/errors.ts"
import { each } from "../../../../kernel/each.ts"
import { notUnderstood } from "../../../../upstream/response/ResponseDecoder.ts"
import * as ResponseSize from "../../../../upstream/response/ResponseSize.ts"
import {
  noFirstBlock,
  type ReadTransaction,
  type Signature,
  type SignaturePage,
  type SolanaProvider
} from "../../Provider.ts"
import { commitment, token, token2022 } from "../../programs.ts"
import { clockAlone, requireFresh, rowsIn, withHead } from "./accounts.ts"
import * as calls from "./calls.ts"
import * as transactionCalls from "./transactionCalls.ts"

/** JSON values of a row in a list of signatures. */
const valuesPerRow = 8

const decodeRow = Schema.decodeUnknownOption(transactionCalls.SignatureRow)

/** Instead of a row that cannot be read, a row whose signature is invalid. */
const signatureIn = (row: unknown): Signature =>
  Option.getOrElse(decodeRow(row), () => ({ signature: `unreadable: ${inspect(row)}`, slot: slot(0) }))

const signaturesOf = (account: string, page: SignaturePage) =>
  readAs(
    bound(transactionCalls.signatures, { account, ...page }),
    Either.map((rows) => rows.map(signatureIn))
  )

/** A node that does not know the method, or returns no slot, has no first block. */
const firstBlock = readAs(bound(transactionCalls.firstBlock, {}), (answer, outcome) =>
  (outcome && Either.isRight(outcome)) || isRefused(outcome, codes.refused)
    ? Either.mapLeft(answer, () => noFirstBlock)
    : answer
)

const transactionOf = (signature: string) =>
  readAs(
    bound(transactionCalls.transaction, { signature }),
    (answer, outcome = missing): ReadTransaction =>
      Either.mapBoth(outcome, { onLeft: () => notUnderstood, onRight: () => Either.getOrUndefined(answer) })
  )

/** The reads of transactions and their signatures. */
export const transactionReads = {
  firstSignatures: (node, address, page, { accounts, isNewest }) =>
    Effect.gen(function* () {
      const start = [firstBlock, signaturesOf(address, page)] as const
      const newest = isNewest ? [clockAlone] : []
      if (!accounts) {
        const [first, signatures, clock] = yield* answersOf(node, [...start, ...newest])
        yield* requireFresh(node, clock)
        return { first, signatures, accounts: Either.right([]) }
      }
      const heads = (programId: string) => bound(calls.tokenBalances, { owner: address, programId })
      const [first, signatures, old, extended, clock] = yield* answersOf(node, [
        ...start,
        heads(token),
        heads(token2022),
        ...newest
      ])
      yield* requireFresh(node, clock)
      return { first, signatures, accounts: rowsIn([old, extended]) }
    }),
  signatures: (node, account, page) => answerOf(node, signaturesOf(account, page)),
  signaturesOf: (node, accounts, page, ahead) =>
    Effect.gen(function* () {
      const lists = accounts.map((account) => signaturesOf(account, page))
      const others = ahead.map(transactionOf)
      const callsOf = (all: ReadonlyArray<BoundCall<unknown>>) => all.map(({ call }) => call)
      const rows = valuesPerRow * Math.min(page.limit, transactionCalls.signaturesPerPage)
      const size = Math.max(1, Math.floor(ResponseSize.rows.values / rows))
      const batches =
        lists.length <= size
          ? [callsOf([...lists, ...others])]
          : [...Arr.chunksOf(callsOf(lists), size), callsOf(others)]
      const outcomes = (yield* each(batches, (batch) => callAll(node, batch, { exact: true }), 4)).flat()
      return {
        pages: lists.map(({ read }, index) => read(outcomes[index])),
        transactions: others.map(({ read }, index) => read(outcomes[lists.length + index]))
      }
    }),
  blockTime: (node, slot) => answerOf(node, bound(transactionCalls.blockTime, { slot })),
  transactions: (node, signatures) => answersOf(node, signatures.map(transactionOf), { exact: true, perCall: true }),
  statuses: (node, signatures) =>
    Effect.map(
      withHead(node, commitment, [bound(transactionCalls.statuses, { signatures })]),
      ([head, [found = Either.left(notUnderstood)]]) => [head, found] as const
    ),
  validities: (node, blockhashes) =>
    withHead(
      node,
      "finalized",
      blockhashes.map((blockhash) => bound(transactionCalls.isValid, { blockhash }))
    )
} satisfies Partial<SolanaProvider>
