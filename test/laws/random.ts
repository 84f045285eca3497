/** Numbers from 0 to 1, the same ones for each seed. */
export const randomOf = (seed: string) => {
  let state = [...seed].reduce((sum, character) => (Math.imul(sum, 31) + character.charCodeAt(0)) >>> 0, 7)
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  return {
    next,
    /** Removes and returns an item of a list. */
    draw: <A>(items: Array<A>): A | undefined => items.splice(Math.floor(next() * items.length), 1)[0]
  }
}
