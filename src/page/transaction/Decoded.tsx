import { useEffect, useRef, useState } from "preact/hooks"
import { feeOf } from "../history/movements.ts"
import { Fact } from "../parts/Fact.tsx"
import { Failed } from "../parts/Failed.tsx"
import { Pending, Skeleton } from "../parts/lazy.tsx"
import type { KnownNetwork } from "../state/knownNetworks.ts"
import { goTo } from "../state/navigation.ts"
import { announce } from "../state/notices.ts"
import { confirm } from "../state/refusal.ts"
import { fragmentOf } from "../state/route.ts"
import { service } from "../state/service.ts"
import { promptForKey, session } from "../state/session.ts"
import { useReading } from "../state/useReading.ts"
import { useStore } from "../state/useStore.ts"
import { count, sanitized, shortened, time, wordText } from "../text/format.ts"
import { t } from "../text/language.ts"
import { Address } from "./Address.tsx"
import { exact } from "./exact.ts"
import { type Execution, executionOf, hasEnoughGas } from "./execution.ts"
import { keepSend, maySend, type SendState, sends, sentOf } from "./sends.ts"
import { type DecodedTransaction, readDecoded, sendOnce } from "./signed.ts"
import { type Prices, usePrices, Valued } from "./Worth.tsx"

interface DecodedProps {
  readonly network: KnownNetwork
  readonly transaction: string
}

type PartProps = DecodedProps & { readonly of: DecodedTransaction }

/** Further entries are only counted. */
const maxEntries = 20

const Payment = ({
  network,
  of,
  prices
}: {
  readonly network: KnownNetwork
  readonly of: DecodedTransaction["amounts"][number]
  readonly prices: Prices
}) => {
  const known = useStore(service)
  const { amount: text, amountBaseUnits, tag, to, token } = of
  return (
    <li class="line">
      <Address of={to ?? ""} />
      {tag !== undefined && <bdi class="tag">{sanitized(tag, 100)}</bdi>}
      <span class="last">
        {token === null ? (
          <Valued of={feeOf(known, network.id, amountBaseUnits)} at={Date.now() / 1000} prices={prices} />
        ) : (
          <data value={text ?? amountBaseUnits}>
            {exact(text ?? amountBaseUnits)}{" "}
            <bdi class="code">{text === null ? t("baseUnitsOf", { symbol: shortened(token) }) : shortened(token)}</bdi>
          </data>
        )}
      </span>
      {token !== null && (
        <div>
          <span class="label">{t("contract")}</span> <Address of={token} isCopied={token !== "Unknown"} />
        </div>
      )}
    </li>
  )
}

/** What its bytes say. */
const Content = ({ network, of, run }: PartProps & { readonly run: Execution | undefined }) => {
  const known = useStore(service)
  const prices = usePrices([feeOf(known, network.id, "0")])
  const reasonFor = (member: string) => of.unknown.find((unknown) => unknown.member === member)?.message
  const missing = (member: string) => <span class="missing">{sanitized(reasonFor(member) ?? t("unknown"), 300)}</span>
  const more = reasonFor("amounts")
  const called = of.to.filter((address) => !of.amounts.some(({ to }) => to === address))
  return (
    <>
      <p class="help">{t("decodedHelp")}</p>
      <h3>{t("payments")}</h3>
      <ul class="parties">
        {of.amounts.slice(0, maxEntries).map((payment, index) => (
          <Payment key={index} network={network} of={payment} prices={prices} />
        ))}
        {of.amounts.length > maxEntries && <li>{t("andMore", { count: of.amounts.length - maxEntries })}</li>}
        {of.amounts.length === 0 && <li class="label">{t("noPayments")}</li>}
      </ul>
      {!of.complete && <p class="missing">{t("movesMore", { reason: sanitized(more ?? t("unknown"), 300) })}</p>}
      <dl class="facts">
        <Fact title={t("signedBy")}>{of.from === null ? missing("from") : <Address of={of.from} />}</Fact>
        {called.length > 0 && (
          <Fact title={t("calls")}>
            {called.slice(0, maxEntries).map((address) => (
              <Address key={address} of={address} />
            ))}
          </Fact>
        )}
        <Fact title={t(of.feeIsMaximum === true ? "maxFee" : "fee")}>
          {of.fee === null ? (
            missing("fee")
          ) : (
            <Valued of={feeOf(known, network.id, of.fee)} at={Date.now() / 1000} prices={prices} />
          )}
        </Fact>
        {run !== undefined && <Fact title={t("gasLimit")}>{exact(run.gasLimit)}</Fact>}
        {(of.nonce !== null || reasonFor("nonce") !== undefined) && (
          <Fact title={t("nonce")}>{of.nonce === null ? missing("nonce") : count(of.nonce)}</Fact>
        )}
        {of.spends.length > 0 && <Fact title={t("spends")}>{t("outputs", { count: of.spends.length })}</Fact>}
        {(of.expiresAt !== null || reasonFor("expiresAt") !== undefined) && (
          <Fact title={t("expires")}>{of.expiresAt === null ? missing("expiresAt") : time(of.expiresAt / 1000)}</Fact>
        )}
        {of.lastBlock !== null && <Fact title={t("lastLedger")}>{count(of.lastBlock)}</Fact>}
        <Fact title={t("txHash")}>
          <bdi class="code">{sanitized(of.hash, 100)}</bdi>
        </Fact>
      </dl>
    </>
  )
}

/** Whether the call of an EVM transaction would succeed now, within its gas limit. */
const Trial = ({
  from,
  network,
  run
}: {
  readonly network: KnownNetwork
  readonly from: string
  readonly run: Execution
}) => {
  const { data, gasLimit, to, value } = run
  const { reading } = useReading(`${network.id} ${from} ${to} ${value} ${data}`, (client, signal) =>
    client.transactions.estimate({ network: network.id, transaction: { from, to, value, data } }, { signal })
  )
  if (reading.state === "waiting") return <Pending />
  if (reading.state === "failed") return <span class="missing">{reading.problem}</span>
  const { gas, nodeMessage, reason, reverts } = reading.data
  const isEnough = typeof gas === "string" ? hasEnoughGas(run, gas) : undefined
  const numbers = { needed: exact(gas ?? ""), limit: exact(gasLimit) }
  if (isEnough === true) return <>{t("trialWorks", numbers)}</>
  if (isEnough === false) return <span class="problem">{t("trialGas", numbers)}</span>
  const why = reverts?.reason ?? nodeMessage ?? (reason === null ? t("unknown") : wordText("send_", reason))
  return <span class="problem">{t("trialFails", { reason: sanitized(why, 300) })}</span>
}

/** The outcome of a send. */
const Outcome = ({ network, of }: { readonly network: KnownNetwork; readonly of: SendState }) => {
  if (of.state === "sending") return <p role="status">{t("sending")}</p>
  if (of.state === "refused")
    return (
      <p class="problem" role="alert">
        {t("notAccepted", { reason: of.reason === null ? t("unknown") : wordText("send_", of.reason) })}
        {of.nodeMessage !== null && <span class="detail">{sanitized(of.nodeMessage, 300)}</span>}
      </p>
    )
  const link = of.hash !== undefined && (
    <a href={fragmentOf({ view: "tx", items: [network.id, of.hash] })}>{t("followIt")}</a>
  )
  if (of.state === "accepted")
    return (
      <p>
        {t("wasAccepted")} {link}
      </p>
    )
  return (
    <p class="problem" role="alert">
      {of.problem} {t(of.hash === undefined ? "wasNotSent" : "mayHaveArrived")} {link}
    </p>
  )
}

/** Sends it after a second click, and opens the view that follows it. What may have arrived is not sent again. */
const Sending = ({ network, of, transaction }: PartProps) => {
  const { client } = useStore(session)
  const sent = sentOf(useStore(sends), network.id, of.hash)
  const [isSecondClick, setIsSecondClick] = useState(false)
  const isShown = useRef(true)
  useEffect(
    () => () => {
      isShown.current = false
    },
    []
  )
  const send = async () => {
    setIsSecondClick(false)
    announce(t("sending"))
    const result = await keepSend(network.id, of.hash, () =>
      sendOnce(client, network.id, of, transaction, promptForKey(client))
    )
    if (result?.state !== "accepted" || !isShown.current) return
    confirm({ items: [result.hash] })
    goTo({ view: "tx", items: [network.id, result.hash] })
  }
  const outcome = sent !== undefined && <Outcome network={network} of={sent} />
  if (!maySend(sent)) return <>{outcome}</>
  if (of.problems.length > 0)
    return (
      <div class="problem" role="alert">
        <p>{t("wouldRefuse")}</p>
        <ul>
          {of.problems.map(({ message, reason }) => (
            <li key={message}>
              {wordText("send_", reason)} <span class="detail">{sanitized(message, 300)}</span>
            </li>
          ))}
        </ul>
      </div>
    )
  if (isSecondClick)
    return (
      <div>
        <p class="symbol">{t("sendSure", { network: network.name })}</p>
        <p class="line">
          <button type="button" class="primary" onClick={() => void send()}>
            {t("sendNow")}
          </button>
          <button type="button" onClick={() => setIsSecondClick(false)}>
            {t("doNotSend")}
          </button>
        </p>
      </div>
    )
  return (
    <>
      {outcome}
      <button type="button" class="primary" onClick={() => setIsSecondClick(true)}>
        {t("send")}
      </button>
    </>
  )
}

/** What a signed transaction would do, whether it would succeed, and a button that sends it. */
export const Decoded = ({ network, transaction }: DecodedProps) => {
  const { reading, retry } = useReading(`${network.id} ${transaction}`, (client, signal) =>
    readDecoded(client, network.id, transaction, signal)
  )
  if (reading.state === "failed") return <Failed problem={reading.problem} retry={retry} />
  if (reading.state === "waiting") return <Skeleton kind="line" rows={4} />
  const { data } = reading
  const run = network.family === "evm" ? executionOf(transaction) : undefined
  const part = { network, transaction, of: data }
  return (
    <section class="panel" aria-label={t("signedTx")}>
      <h2>
        {t("signedTx")} · {network.name}
      </h2>
      <Content {...part} run={run} />
      <h3>{t("trial")}</h3>
      <p>
        {run !== undefined && data.from !== null ? (
          <Trial network={network} from={data.from} run={run} />
        ) : (
          <span class="label">{t(network.family === "evm" ? "noTrialOfType" : "noTrial")}</span>
        )}
      </p>
      <Sending {...part} />
    </section>
  )
}
