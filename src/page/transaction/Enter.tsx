import { useEffect, useState } from "preact/hooks"
import { pastedOf } from "../addresses/pasted.ts"
import { entered } from "../addresses/transactions.ts"
import { Failed } from "../parts/Failed.tsx"
import { Skeleton } from "../parts/lazy.tsx"
import { goTo } from "../state/navigation.ts"
import { confirm } from "../state/refusal.ts"
import { isHashLike, isSigned } from "../state/secrets.ts"
import { service } from "../state/service.ts"
import { useReading } from "../state/useReading.ts"
import { useStore } from "../state/useStore.ts"
import { sanitized } from "../text/format.ts"
import { t } from "../text/language.ts"
import { Decoded } from "./Decoded.tsx"
import { readFit } from "./signed.ts"

/** A signed transaction: its network, found by its bytes or chosen, and its effects. */
const Signed = ({ transaction }: { readonly transaction: string }) => {
  const { networks } = useStore(service)
  const [chosen, setChosen] = useState("")
  const { reading, retry } = useReading(`${networks.length} ${transaction}`, (client, signal) =>
    readFit(client, networks, transaction, signal)
  )
  if (reading.state === "failed") return <Failed problem={reading.problem} retry={retry} />
  if (reading.state === "waiting" || networks.length === 0) return <Skeleton kind="line" rows={4} />
  const { chainId, networks: fitting, reasons } = reading.data
  const [only, ...others] = fitting
  const network = others.length === 0 ? only : fitting.find(({ id }) => id === chosen)
  if (only === undefined)
    return (
      <div class="panel problem" role="alert">
        <p>{chainId === undefined ? t("txNeither") : t("noChain", { id: String(chainId) })}</p>
        {chainId === undefined && (
          <ul>
            {reasons.map(({ name, reason }) => (
              <li key={name}>
                {name}: {sanitized(reason, 300)}
              </li>
            ))}
          </ul>
        )}
      </div>
    )
  return (
    <>
      {others.length > 0 && (
        <p>
          <label>
            {t("whichNetwork")}{" "}
            <select value={chosen} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
              <option value="">–</option>
              {fitting.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </p>
      )}
      {network !== undefined && <Decoded key={network.id} network={network} transaction={transaction} />}
    </>
  )
}

/** A field for the hash of a transaction, or a signed transaction. */
export const Enter = () => {
  const [text, setText] = useState(entered.get)
  const [checked, setChecked] = useState(text)
  const [problem, setProblem] = useState<string>()
  useEffect(() => entered.set(""), [])
  const submit = (event: Event) => {
    event.preventDefault()
    const value = text.trim()
    const link = pastedOf(value)
    if (link.kind === "transaction") confirm({ items: [link.text] })
    const hash = link.kind === "transaction" ? link.text : value
    setProblem(undefined)
    setChecked("")
    // A hash that may be a key is refused first, with a button that opens it.
    if (isHashLike(hash)) return void goTo({ view: "tx", items: [hash] })
    if (isSigned(value)) return setChecked(value)
    setProblem(t("txNeither"))
  }
  return (
    <>
      <form class="addresses" onSubmit={submit}>
        <label for="transaction">{t("txField")}</label>
        <textarea
          id="transaction"
          class="code"
          rows={4}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          aria-describedby={problem === undefined ? "transaction-help" : "transaction-help transaction-problem"}
          aria-invalid={problem !== undefined}
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value)
            setProblem(undefined)
          }}
        />
        <p id="transaction-help" class="help">
          {t("txHelp")}
        </p>
        {problem !== undefined && (
          <p id="transaction-problem" class="problem" role="alert">
            {problem}
          </p>
        )}
        <p>
          <button type="submit" class="primary">
            {t("txCheck")}
          </button>
        </p>
      </form>
      {checked !== "" && <Signed key={checked} transaction={checked} />}
    </>
  )
}
