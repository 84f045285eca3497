interface IdInputProps {
  readonly id: string
  readonly value: string
  readonly setValue: (value: string) => void
}

/** A field for ids and addresses, with a submit button; the element `<id>-help` describes it. */
export const IdInput = ({ id, setValue, value }: IdInputProps) => (
  <>
    <input
      id={id}
      type="text"
      autocomplete="off"
      autocapitalize="off"
      spellcheck={false}
      aria-describedby={`${id}-help`}
      value={value}
      onInput={({ currentTarget }) => setValue(currentTarget.value)}
    />
    <button type="submit" class="primary">
      Show
    </button>
  </>
)
