/** What an answer is made of, and whether that is still so at a time (ms). */
interface Material {
  readonly isCurrent: (now: number) => boolean
}

interface Answer {
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
  readonly maxAge: number
}

/** At most so many bytes of answers are kept; what was not asked for the longest goes first. */
const capacity = 32 * 1024 * 1024

/** Answers by question: the very same one, and its bytes, for as long as it would be made of the same. */
export const answered = <A extends Material, B extends Answer>(
  same: (one: A, other: A) => boolean,
  make: (material: A) => B
) => {
  const kept = new Map<string, { material: A; readonly answer: B & Material }>()
  let bytes = 0
  const drop = (question: string) => {
    bytes -= kept.get(question)?.answer.body.byteLength ?? 0
    kept.delete(question)
  }
  return (question: string, material: A): B & Material => {
    const before = kept.get(question)
    if (before !== undefined && same(before.material, material)) {
      before.material = material
      kept.delete(question)
      kept.set(question, before)
      return before.answer
    }
    const entry = { material, answer: { ...make(material), isCurrent: (now: number) => entry.material.isCurrent(now) } }
    drop(question)
    kept.set(question, entry)
    bytes += entry.answer.body.byteLength
    for (const oldest of kept.keys()) {
      if (bytes <= capacity) break
      drop(oldest)
    }
    return entry.answer
  }
}
