import { currencies } from "../state/currencies.ts"
import { chooseCurrency, preferences } from "../state/preferences.ts"
import { useStore } from "../state/store.ts"

/** The currency of all values; those without a current rate cannot be chosen. */
export const CurrencyChoice = () => {
  const known = useStore(currencies)
  const { currency } = useStore(preferences)
  const isListed = known.some((rate) => rate.currency.toUpperCase() === currency)
  return (
    <div>
      <label for="currency">Currency</label>{" "}
      <select id="currency" value={currency} onChange={({ currentTarget }) => chooseCurrency(currentTarget.value)}>
        {!isListed && <option value={currency}>{currency}</option>}
        {known.map((rate) => (
          <option key={rate.currency} value={rate.currency.toUpperCase()} disabled={rate.perUsd === null}>
            {rate.currency.toUpperCase()} – {rate.name}
            {rate.perUsd === null ? " (no current rate)" : ""}
          </option>
        ))}
      </select>
    </div>
  )
}
