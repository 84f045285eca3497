import { useState } from "preact/hooks"
import type { NetworkAddress } from "../addresses/accounts.ts"
import { Copy } from "../parts/Copy.tsx"
import { Failed, Missing } from "../parts/Failed.tsx"
import { Skeleton } from "../parts/lazy.tsx"
import { NetworkMark } from "../parts/NetworkMark.tsx"
import { networkName, service } from "../state/service.ts"
import { useReading } from "../state/useReading.ts"
import { useStore } from "../state/useStore.ts"
import { amount, roughAmount, sanitized, shortened } from "../text/format.ts"
import { addTexts, isText, t } from "../text/language.ts"
import { unlistedEn } from "../text/unlisted/en.ts"
import { readUnlisted, type UnlistedRow } from "./unlistedTokens.ts"

addTexts(unlistedEn)

/** Tokens that are rendered at first. */
const maxShown = 100

const reasonText = (reason: string): string => {
  const key = `reason_${reason}`
  return isText(key) ? t(key) : sanitized(reason, 40)
}

/** The contract of a token, and the powers over it. */
const Contract = ({ row: { blockchain, contractAddress } }: { readonly row: UnlistedRow }) => {
  const { reading, retry } = useReading(`token ${blockchain} ${contractAddress}`, (client, signal) =>
    client.token.facts(blockchain, contractAddress ?? "", { signal })
  )
  if (reading.state === "waiting") return <Skeleton kind="word" />
  if (reading.state === "failed") return <Failed problem={reading.problem} retry={retry} />
  const { error, errorCode, powers, standard, supply } = reading.data
  const present = Object.entries(powers).flatMap(([power, has]) => (has === true ? [power] : []))
  return (
    <>
      <dl class="facts">
        {standard !== null && (
          <div>
            <dt>{t("tokenStandard")}</dt>
            <dd>{sanitized(standard, 24)}</dd>
          </div>
        )}
        {supply !== null && (
          <div>
            <dt>{t("supply")}</dt>
            <dd>
              <data value={supply}>{roughAmount(supply)}</data>
            </dd>
          </div>
        )}
        <div>
          <dt>{t("powers")}</dt>
          <dd>
            {present.map((power) => (isText(`power_${power}`) ? t(`power_${power}` as never) : power)).join(", ") ||
              t("noPowers")}
          </dd>
        </div>
      </dl>
      {error !== undefined && <Missing code={errorCode} />}
    </>
  )
}

/** A token in one line, which opens its reasons and its contract. */
const Token = ({ row }: { readonly row: UnlistedRow }) => {
  const known = useStore(service)
  const [isOpen, setIsOpen] = useState(false)
  const { balance, blockchain, contractAddress, reasons = [], tokenName, tokenSymbol } = row
  const symbol = sanitized(tokenSymbol, 16) || t("noSymbol")
  return (
    <details class="row" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <NetworkMark network={blockchain} size="small" />
        <span class="title">
          <bdi class="symbol">{sanitized(tokenName, 40) || t("noName")}</bdi>
          <span class="detail">{networkName(known, blockchain)}</span>
        </span>
        <span class="number amount">
          {balance !== null && <data value={balance}>{roughAmount(balance)}</data>} <bdi>{symbol}</bdi>
        </span>
      </summary>
      {isOpen && (
        <div class="inside">
          <ul>
            {reasons.map((reason) => (
              <li key={reason}>{reasonText(reason)}</li>
            ))}
          </ul>
          {balance !== null && <p class="label">{amount(balance)}</p>}
          <p class="line">
            {t("contract")} <bdi class="code">{shortened(contractAddress ?? "")}</bdi>
            <Copy text={contractAddress ?? ""} what={t("theContract", { symbol })} />
          </p>
          <Contract row={row} />
        </div>
      )}
    </details>
  )
}

const Rows = ({ rows }: { readonly rows: ReadonlyArray<UnlistedRow> }) => {
  const [limit, setLimit] = useState(maxShown)
  const rest = rows.length - limit
  return (
    <>
      <div class="rows">
        {rows.slice(0, limit).map((row) => (
          <Token key={`${row.blockchain} ${row.holderAddress} ${row.contractAddress}`} row={row} />
        ))}
      </div>
      {rest > 0 && (
        <button type="button" onClick={() => setLimit(limit + maxShown)}>
          {t("showMore", { count: Math.min(rest, maxShown), rest })}
        </button>
      )}
    </>
  )
}

/** The tokens of addresses that no list has; suspicious ones are folded. They are in no total. */
export const Unlisted = ({ addresses }: { readonly addresses: ReadonlyArray<NetworkAddress> }) => {
  const known = useStore(service)
  const name = addresses.map(({ address, network }) => `${network} ${address}`).join()
  const { reading, retry } = useReading(`unlisted ${name}`, (client, signal) => readUnlisted(client, addresses, signal))
  if (reading.state === "waiting") return <Skeleton kind="line" rows={4} />
  if (reading.state === "failed") return <Failed problem={reading.problem} retry={retry} />
  const { gaps, omitted, suspicious, tokens } = reading.data
  return (
    <>
      <p class="label">{t("unlistedHelp")}</p>
      {tokens.length + suspicious.length === 0 && <p class="empty">{t("noUnlisted")}</p>}
      <Rows rows={tokens} />
      {suspicious.length > 0 && (
        <details class="row folded">
          <summary>{t("suspiciousTokens", { count: suspicious.length })}</summary>
          <Rows rows={suspicious} />
        </details>
      )}
      {omitted > 0 && <p class="label">{t("omittedTokens", { count: omitted })}</p>}
      {[...gaps].map(([reason, networks]) => (
        <p key={reason} class="label">
          {[...networks].map((network) => networkName(known, network)).join(", ")}: {reason}
        </p>
      ))}
    </>
  )
}
