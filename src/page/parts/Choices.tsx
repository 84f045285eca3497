interface ChoicesProps<A> {
  /** The name of the group for screen readers. */
  readonly label: string
  readonly options: ReadonlyArray<readonly [value: A, text: string]>
  readonly chosen: A
  readonly choose: (value: A) => void
}

/** Buttons of which one is pressed. */
export const Choices = <A extends string | number>({ choose, chosen, label, options }: ChoicesProps<A>) => (
  <fieldset class="choices">
    <legend class="only-read">{label}</legend>
    {options.map(([value, text]) => (
      <button key={value} type="button" aria-pressed={value === chosen} onClick={() => choose(value)}>
        {text}
      </button>
    ))}
  </fieldset>
)
