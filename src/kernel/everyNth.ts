/** True for this share of the calls, from 0 to 1, as evenly as it can be. */
export const everyNth = (share: number) => {
  let sum = 0
  return (): boolean => {
    sum += share
    if (sum < 1) return false
    sum -= 1
    return true
  }
}
