import type { components } from "../../client/Client.ts"
import { WalletDataError } from "../../client/Client.ts"
import type { PageClient } from "../state/client.ts"
import type { KnownNetwork } from "../state/knownNetworks.ts"
import { t } from "../text/language.ts"
import { problemOf } from "../text/reasons.ts"

export type DecodedTransaction = components["schemas"]["DecodedTransaction"]

/** The families whose signed transactions have the form of this text. */
const familiesOf = (text: string): ReadonlyArray<string> => {
  if (text.startsWith("{")) return ["sui"]
  if (/^(0x)?[\da-f]+$/i.test(text)) return ["evm", "utxo", "cardano", "ripple", "tron", "polkadot", "ton"]
  return ["solana", "sui", "ton"]
}

/** The networks that a signed transaction may be for, or why it is for none. */
export interface Fit {
  readonly networks: ReadonlyArray<KnownNetwork>
  /** The chain that it is signed for, if no network has it. */
  readonly chainId?: number
  /** By the name of a network of each family. */
  readonly reasons: ReadonlyArray<{ readonly name: string; readonly reason: string }>
}

/** Decodes a text on the first network of each family. Sends it to no network. */
export const readFit = async (
  client: PageClient,
  all: ReadonlyArray<KnownNetwork>,
  transaction: string,
  signal: AbortSignal
): Promise<Fit> => {
  const active = all.filter(({ sunset }) => sunset === undefined)
  const firsts = familiesOf(transaction).flatMap((family) => active.find((network) => network.family === family) ?? [])
  const tried = await Promise.all(
    firsts.map(({ family, id, name }) =>
      client.transactions.decode({ network: id, transaction }, { signal }).then(
        ({ chainId }) => ({ family, chainId }),
        (error: unknown) => {
          if (!(error instanceof WalletDataError) || error.status !== 400) throw error
          return { name, reason: error.issues[0]?.message ?? problemOf(error) }
        }
      )
    )
  )
  const fits = tried.flatMap((result) => ("family" in result ? [result] : []))
  const networks = fits.flatMap(({ chainId, family }) =>
    active.filter(
      (network) => network.family === family && (chainId === null || family !== "evm" || network.chainId === chainId)
    )
  )
  const chainId = networks.length === 0 ? fits[0]?.chainId : undefined
  return {
    networks,
    ...(chainId == null ? {} : { chainId }),
    reasons: tried.flatMap((result) => ("reason" in result ? [result] : []))
  }
}

/** Decodes a signed transaction on the network that is shown. Refuses the answer of another network. */
export const readDecoded = (
  client: PageClient,
  network: string,
  transaction: string,
  signal: AbortSignal
): Promise<DecodedTransaction> =>
  client.transactions.decode({ network, transaction }, { signal }).then((decoded) => {
    if (decoded?.network !== network || typeof decoded.hash !== "string")
      throw new WalletDataError({ kind: "response", message: "decoded for another network" })
    return decoded
  })

/** The outcome of a send. */
export type SendResult =
  | { readonly state: "accepted"; readonly hash: string }
  | { readonly state: "refused"; readonly reason: string | null; readonly nodeMessage: string | null }
  /** `hash`: it may have arrived. */
  | { readonly state: "undecided"; readonly problem: string; readonly hash: string | undefined }

type SendAnswer = { readonly [Member in "accepted" | "hash" | "reason" | "nodeMessage"]?: unknown } | null

const isText = (value: unknown): value is string => typeof value === "string"

/** The outcome that an answer states; one that states none decides nothing. */
const outcomeIn = (answer: SendAnswer, hash: string): SendResult => {
  const { accepted, hash: sent, nodeMessage, reason } = answer ?? {}
  if (accepted === true && isText(sent)) return { state: "accepted", hash: sent }
  if (accepted === false && (reason === null || isText(reason)))
    return { state: "refused", reason, nodeMessage: isText(nodeMessage) ? nodeMessage : null }
  return { state: "undecided", problem: t("problemResponse"), hash }
}

/** Sends a signed transaction, once. `failed` receives an error: without a decision it says whether it may have arrived. */
export const sendOnce = (
  client: PageClient,
  network: string,
  { hash }: Pick<DecodedTransaction, "hash">,
  transaction: string,
  failed: (error: unknown) => unknown
): Promise<SendResult> =>
  client.transactions.send({ network, transaction }).then(
    (answer) => outcomeIn(answer, hash),
    (error: unknown): SendResult => {
      failed(error)
      const isKnown = error instanceof WalletDataError && !error.mayHaveArrived
      return { state: "undecided", problem: problemOf(error), hash: isKnown ? undefined : hash }
    }
  )
