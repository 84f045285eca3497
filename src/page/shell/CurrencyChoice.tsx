import { currencies } from "../state/currencies.ts"
import { chooseCurrency, preferences } from "../state/preferences.ts"
import { useStore } from "../state/store.ts"

/** The currency of all values; those without a current rate cannot be chosen. */
export const CurrencyChoice = () => {
  const known = useStore(currencies)
  const { currency } = useStore(preferences)
  const isListed = known.some((one) => one.currency.toUpperCase() === currency)
  return (
    <div class="currency">
      <label for="currency">Currency</label>{" "}
      <select id="currency" value={currency} onChange={({ currentTarget }) => chooseCurrency(currentTarget.value)}>
        {!isListed && <option value={currency}>{currency}</option>}
        {known.map((one) => (
          <option key={one.currency} value={one.currency.toUpperCase()} disabled={one.perUsd === null}>
            {one.currency.toUpperCase()} – {one.name}
            {one.perUsd === null ? " (no current rate)" : ""}
          </option>
        ))}
      </select>
    </div>
  )
}
