import { useStore } from "../state/store.ts"
import { chooseTheme, theme, themes } from "../state/theme.ts"

const names = { system: "System", light: "Light", dark: "Dark" } as const

/** The colours of the page: those of the device, light or dark. */
export const ThemeChoice = () => (
  <div>
    <label for="theme">Theme</label>{" "}
    <select id="theme" value={useStore(theme)} onChange={({ currentTarget }) => chooseTheme(currentTarget.value)}>
      {themes.map((name) => (
        <option key={name} value={name}>
          {names[name]}
        </option>
      ))}
    </select>
  </div>
)
