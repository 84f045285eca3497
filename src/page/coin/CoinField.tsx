import { useId, useMemo, useState } from "preact/hooks"
import { knownCoins } from "../addresses/coins.ts"
import { CoinIcon } from "../parts/Icon.tsx"
import { ownHoldings } from "../state/recent.ts"
import { service } from "../state/service.ts"
import { useReading } from "../state/useReading.ts"
import { useStore } from "../state/useStore.ts"
import { sanitized } from "../text/format.ts"
import { t } from "../text/language.ts"
import { foundCoins, readListed, type SearchableCoin } from "./search.ts"

interface FieldProps {
  readonly label: string
  readonly choose: (id: string) => void
}

/** The text of the field, the coins that it may mean, and which of them is marked. */
const useSuggestions = ({ choose }: FieldProps) => {
  const [text, setText] = useState("")
  const [isOpen, setIsOpen] = useState(false)
  const [marked, setMarked] = useState(-1)
  const { networks } = useStore(service)
  const holdings = useStore(ownHoldings)
  const { known, own } = useMemo(
    () => ({
      known: knownCoins(),
      own: new Set(holdings.flatMap(({ row }) => (row.balance === "0" ? [] : row.coinId || [])))
    }),
    [networks, holdings]
  )
  // The coins of all chains are read when the field is used.
  const [isUsed, setIsUsed] = useState(false)
  const { reading } = useReading(`${isUsed} ${networks.length}`, (client, signal) =>
    isUsed ? readListed(client, networks, signal) : Promise.resolve([])
  )
  const found = foundCoins(text, { known, own, listed: reading.state === "read" ? reading.data : [] })
  const show = (next: string) => {
    setText(next)
    setMarked(-1)
    setIsOpen(true)
    setIsUsed(true)
  }
  const take = (coin: SearchableCoin | undefined) => {
    const id = coin?.id ?? text.trim().toLowerCase()
    setText("")
    setMarked(-1)
    setIsOpen(false)
    if (id !== "") choose(id)
  }
  return {
    text,
    marked,
    found: isOpen ? found : [],
    show,
    take,
    close: () => setIsOpen(false),
    submit: (event: Event) => {
      event.preventDefault()
      if (text.trim() !== "" || marked >= 0) take(found[Math.max(0, marked)])
    },
    press: (event: KeyboardEvent) => {
      const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
      if (event.key === "Escape") setIsOpen(false)
      if (step === 0 || found.length === 0) return
      event.preventDefault()
      setIsOpen(true)
      setMarked((marked + step + found.length + (marked < 0 && step < 0 ? 1 : 0)) % found.length)
    }
  }
}

/** Selects a coin by its name, symbol, id or address, with suggestions. It becomes the route, so that it can be stored as a link. */
export const CoinField = (properties: FieldProps) => {
  const { close, found, marked, press, show, submit, take, text } = useSuggestions(properties)
  const list = useId()
  const { label } = properties
  return (
    <form class="coin-field" onSubmit={submit}>
      <div class="line">
        <input
          id="coin"
          type="text"
          role="combobox"
          aria-label={label}
          aria-autocomplete="list"
          aria-expanded={found.length > 0}
          aria-controls={found.length > 0 ? list : undefined}
          aria-activedescendant={marked >= 0 && found.length > 0 ? `${list}-${marked}` : undefined}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          placeholder={label}
          value={text}
          onFocus={() => show(text)}
          onBlur={close}
          onInput={({ currentTarget }) => show(currentTarget.value)}
          onKeyDown={press}
        />
        <button type="submit">{t("show")}</button>
      </div>
      {found.length > 0 && (
        <div id={list} class="rows suggestions" role="listbox" aria-label={label}>
          {found.map((coin, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the field choose
            <div
              key={coin.id}
              id={`${list}-${index}`}
              class="row"
              role="option"
              tabIndex={-1}
              aria-selected={index === marked}
              // The field keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(coin)}
            >
              <CoinIcon coinId={coin.id} symbol={coin.symbol} size="small" />
              <bdi class="symbol">{sanitized(coin.name)}</bdi>
              <bdi class="detail">{sanitized(coin.symbol, 12).toUpperCase()}</bdi>
            </div>
          ))}
        </div>
      )}
    </form>
  )
}
