import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ReadFailure, RecipientAccount } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import { withoutResult } from "../../contract/problem/issues.ts"
import type { RecipientCheck, RecipientRequest } from "../../contract/RecipientApi.ts"
import type { Delegate } from "../../domain/AddressForm.ts"
import { greatest, numberOf } from "../../domain/units.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { History, type SentTo } from "../history/History.ts"
import { shortForm } from "../history/labels.ts"
import { recognising } from "../history/NetworkHistory.ts"
import { type AnyNetwork, guarded, notValid, supporting } from "../reading.ts"

interface Payment {
  readonly network: AnyNetwork
  /** In canonical form. */
  readonly from: string
  readonly to: string
  readonly texts: Pick<RecipientRequest, "from" | "to">
}

const unknown: RecipientAccount = { kind: null, isBurnt: false }

/** The facts in the history about the recipient. */
const inHistory = ({ from, network, texts, to }: Payment, { isWhole, recipients, transactions }: SentTo) => {
  const isHolder = recognising(network, Either.right(from), texts.from)
  const isTo = recognising(network, Either.right(to), texts.to)
  const paid = transactions.filter(
    (transaction) =>
      transaction.status !== "Failed" &&
      transaction.from.some(({ address }) => isHolder(address)) &&
      transaction.to.some(({ address, amount }) => amount !== 0n && isTo(address))
  )
  const isKnown = paid.length > 0 || recipients.some(({ address }) => isTo(address))
  const faceOf = (address: string) => shortForm(address, network.facts.addressPrefixes)
  const others = [...new Set([...recipients.map(({ address }) => address), from])]
  return {
    known: isKnown ? true : isWhole ? false : null,
    lastPaid: paid.length === 0 ? null : numberOf(greatest(...paid.map(({ timestamp }) => timestamp))),
    lookalikeOf: others.filter((address) => !isTo(address) && faceOf(address) === faceOf(to))
  }
}

const ofDelegate = ({ address, name }: Delegate) =>
  name === "sweeper"
    ? "A contract takes at once what this account gets: its key is stolen."
    : `This account has delegated to a contract, which takes part in each payment: ${name ?? address}.`

const reasonsOf = (
  { known, lookalikeOf }: ReturnType<typeof inHistory>,
  { delegatedTo, isBurnt, kind, needsTag }: RecipientAccount,
  isOwn: boolean
): ReadonlyArray<string> => [
  ...(known === false && !isOwn ? ["This address has not received a payment from you before."] : []),
  ...(known === null && !isOwn
    ? ["It is not known whether you have paid this address before: older transactions were not read."]
    : []),
  ...lookalikeOf.map((address) => `It resembles ${address}, which is another address.`),
  ...(kind === "contract" ? ["It is a contract: coins that it does not expect are lost."] : []),
  ...(delegatedTo === undefined ? [] : [ofDelegate(delegatedTo)]),
  ...(needsTag === true ? ["It refuses payments without a tag."] : []),
  ...(isBurnt ? ["Coins at this address are lost: no key of it exists."] : []),
  ...(isOwn ? ["It is your own address."] : [])
]

const accountOf = (
  { network, to }: Payment,
  within: number
): Effect.Effect<Either.Either<RecipientAccount, ReadFailure>> =>
  network.recipient === undefined
    ? Effect.succeed(Either.right(unknown))
    : Effect.either(guarded(network, within, network.recipient(to)))

/** POST /transactions/check-recipient: facts about the recipient of a payment. Ends before the deadline. */
export const checkingRecipient = Effect.gen(function* () {
  const networks = yield* Chains
  const { sentTo } = yield* History
  const deadline = Deadline.make(yield* requestDeadline)
  return Effect.fnUntraced(
    function* ({ payload: { network: name, ...texts } }: { readonly payload: RecipientRequest }) {
      const { network } = yield* supporting(networks, name, ({ history }) => history)
      const from = yield* Either.mapLeft(network.address(texts.from), notValid("from"))
      const to = yield* Either.mapLeft(network.address(texts.to), notValid("to"))
      const payment: Payment = { network, from, to, texts }
      const [sent, found] = yield* Effect.zip(sentTo(network, texts.from), accountOf(payment, deadline.share("read")), {
        concurrent: true
      })
      const account = Either.getOrElse(found, () => unknown)
      const history = inHistory(payment, sent)
      const stakeOf = (text: string) => network.addressForm?.(text).account
      const own = from === to || (stakeOf(texts.from) !== undefined && stakeOf(texts.from) === stakeOf(texts.to))
      const failure = sent.failure ?? (Either.isLeft(found) ? found.left : undefined)
      const check: RecipientCheck = {
        network: network.facts.id,
        ...history,
        kind: account.kind,
        own,
        tagNeeded: account.needsTag ?? null,
        delegatedTo: account.delegatedTo ?? null,
        reasons: reasonsOf(history, account, own),
        ...(failure === undefined ? {} : { error: failure.message, errorCode: failure.reason })
      }
      return check
    },
    span("Recipients.check"),
    Effect.mapError(withoutResult("The recipient could not be checked: "))
  )
})
