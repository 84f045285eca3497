/** What an object takes besides its members, and a member besides its value, in bytes: about that of JavaScriptCore. */
const object = 48
const member = 8

/** What lies deeper is not counted; so an object that refers to itself ends, too. */
const deepest = 16

/**
 * About how much memory a value takes, in bytes: text, numbers, and what lists, maps and objects of them hold. What is
 * reached twice counts twice.
 */
export const sizeOf = (value: unknown, depth = 0): number => {
  switch (typeof value) {
    case "string":
      return 24 + value.length
    case "bigint":
      return 32
    case "object":
      return value === null || depth === deepest ? member : sizeOfObject(value, depth + 1)
    default:
      return member
  }
}

const sizeOfObject = (value: object, depth: number): number => {
  if (ArrayBuffer.isView(value)) return object + value.byteLength
  let sum = object
  if (Array.isArray(value)) for (const item of value) sum += member + sizeOf(item, depth)
  else if (value instanceof Map)
    for (const [key, item] of value) sum += 2 * member + sizeOf(key, depth) + sizeOf(item, depth)
  else if (value instanceof Set) for (const item of value) sum += 2 * member + sizeOf(item, depth)
  // The stack of an error is text that is made when it is read.
  else if (!(value instanceof Error)) for (const item of Object.values(value)) sum += member + sizeOf(item, depth)
  return sum
}
