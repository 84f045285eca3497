import { useEffect, useState } from "preact/hooks"

/** Shows rows once all have arrived, or after this time, ms: rows that arrive one by one move the others. */
const waited = 1_000

/** True when it is time to show incomplete data. */
export const useLate = (isDone: boolean): boolean => {
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), waited)
    return () => clearTimeout(timer)
  }, [])
  return isDone || isLate
}
