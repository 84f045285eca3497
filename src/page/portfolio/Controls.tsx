import { preferences } from "../state/preferences.ts"
import { useStore } from "../state/store.ts"
import { counted } from "../text/format.ts"

interface ControlsProps {
  readonly filter: string
  readonly setFilter: (text: string) => void
  /** How many holdings are left out as small. */
  readonly hidden: number
}

/** Which holdings the table shows. */
export const Controls = ({ filter, hidden, setFilter }: ControlsProps) => {
  const chosen = useStore(preferences)
  return (
    <fieldset class="controls">
      <legend class="only-read">What the table shows</legend>
      <div class="line">
        <label for="filter">Filter</label>
        <input
          id="filter"
          type="search"
          autocomplete="off"
          placeholder="coin, network or address"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
      </div>
      <label class="line">
        <input
          type="checkbox"
          checked={chosen.hidesSmall}
          onChange={({ currentTarget }) => preferences.set({ ...chosen, hidesSmall: currentTarget.checked })}
        />
        Hide what is worth less than 1 USD
        {hidden > 0 && <span class="label"> ({counted(hidden, "holding")} hidden, all in the total)</span>}
      </label>
    </fieldset>
  )
}
