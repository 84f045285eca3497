import { type Gap, gap, isOpen, notListed, textsOf } from "../../src/domain/history/Gap.ts"

interface Lacking {
  readonly gaps: ReadonlyArray<Gap>
}

/** A history with the texts of its gaps: `missing` of those that a later read may fill, `unavailable` of the others. */
export const withTexts = <P extends Lacking>({ gaps, ...part }: P) => {
  const final = gaps.filter(({ isFinal }) => isFinal === true)
  return {
    ...part,
    missing: textsOf(gaps.filter((each) => isOpen([each]))),
    ...(final.length === 0 ? {} : { unavailable: textsOf(final) })
  }
}

/** Gaps with these texts. */
export const gapsOf = (missing: ReadonlyArray<string>, unavailable: ReadonlyArray<string> = []): ReadonlyArray<Gap> => [
  ...missing.map((text) => gap("transactions", text)),
  ...unavailable.map((text) => notListed(text))
]
