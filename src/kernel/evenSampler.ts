/** Returns a function that is true for this share of its calls (0 to 1), evenly distributed. */
export const evenSampler = (share: number) => {
  let sum = 0
  return (): boolean => {
    sum += share
    if (sum < 1) return false
    sum -= 1
    return true
  }
}
