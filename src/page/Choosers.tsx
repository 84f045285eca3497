import { chooseCurrency, chooseTheme, currencies, preferences, theme, themes } from "./state/preferences.ts"
import { useStore } from "./state/useStore.ts"
import { language, languages, storeLanguage, t } from "./text/language.ts"

/** Selects the currency of all values. Currencies without a current rate are disabled. */
const CurrencyChoice = () => {
  const known = useStore(currencies)
  const { currency } = useStore(preferences)
  const isListed = known.some((rate) => rate.currency.toUpperCase() === currency)
  return (
    <label>
      {t("currency")}
      <select value={currency} onChange={({ currentTarget }) => chooseCurrency(currentTarget.value)}>
        {!isListed && <option value={currency}>{currency}</option>}
        {known.map((rate) => (
          <option key={rate.currency} value={rate.currency.toUpperCase()} disabled={rate.perUsd === null}>
            {rate.currency.toUpperCase()} – {rate.name} {rate.perUsd === null && t("noRate")}
          </option>
        ))}
      </select>
    </label>
  )
}

/** The texts of another language are loaded with the page. */
const chooseLanguage = (text: string) => {
  storeLanguage(text)
  location.reload()
}

/** The choices of the settings: currency, theme and language. */
export const Choosers = () => {
  const chosenTheme = useStore(theme)
  return (
    <>
      <CurrencyChoice />
      <label>
        {t("theme")}
        <select value={chosenTheme} onChange={({ currentTarget }) => chooseTheme(currentTarget.value)}>
          {themes.map((name) => (
            <option key={name} value={name}>
              {t(name)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t("language")}
        <select value={language} onChange={({ currentTarget }) => chooseLanguage(currentTarget.value)}>
          {Object.entries(languages).map(([code, name]) => (
            <option key={code} value={code} lang={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <a href="/docs">{t("reference")}</a>
    </>
  )
}
