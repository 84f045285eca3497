import { useEffect, useState } from "preact/hooks"
import { IdInput } from "../parts/IdInput.tsx"
import { goTo } from "../state/navigation.ts"
import { fragmentOf } from "../state/route.ts"
import { namedCoins } from "./candleCoins.ts"

/** Which coin is shown: the route, so that it can be kept as a link. */
export const CoinForm = ({ id }: { readonly id: string }) => {
  const [text, setText] = useState(id)
  useEffect(() => setText(id), [id])
  const submit = (event: Event) => {
    event.preventDefault()
    const wanted = text.trim().toLowerCase()
    if (wanted !== "") goTo({ view: "coin", items: [wanted] })
  }
  return (
    <form class="panel" onSubmit={submit}>
      <div class="line">
        <label for="coin">Coin</label>
        <IdInput id="coin" value={text} setValue={setText} />
      </div>
      <p id="coin-help" class="help">
        The id of a coin at the market data provider, such as <span class="code">tether</span>. With candles:{" "}
        {namedCoins.map(([coin, name], index) => (
          <>
            {index > 0 && ", "}
            <a key={coin} href={fragmentOf({ view: "coin", items: [coin] })}>
              {name}
            </a>
          </>
        ))}
      </p>
    </form>
  )
}
