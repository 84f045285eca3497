import * as BoundedMap from "../../kernel/BoundedMap.ts"

/** What an answer is made of, and whether that is still so at a time (ms). */
interface Material {
  readonly isCurrent: (now: number) => boolean
}

interface MemoizedResponse {
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
  readonly maxAge: number
}

/** At most so many bytes are kept; what was not asked for the longest goes first. */
const capacity = 32 * 1024 * 1024

/** What is kept beside the bytes of an answer: a question stands in its material again, and more than once. */
const weightOf = (question: string, { body }: MemoizedResponse) => body.byteLength + 10 * question.length + 2_000

/** Answers by question: the very same one, and its bytes, for as long as it would be made of the same. */
export const answered = <A extends Material, B extends MemoizedResponse>(
  same: (item: A, other: A) => boolean,
  make: (material: A) => B
) => {
  const kept = BoundedMap.make<string, { material: A; readonly answer: B & Material }>({
    maxWeight: capacity,
    weigh: (question, { answer }) => weightOf(question, answer)
  })
  return (question: string, material: A): B & Material => {
    const before = kept.get(question)
    if (before !== undefined && same(before.material, material)) {
      before.material = material
      return before.answer
    }
    const entry = { material, answer: { ...make(material), isCurrent: (now: number) => entry.material.isCurrent(now) } }
    kept.set(question, entry)
    return entry.answer
  }
}
