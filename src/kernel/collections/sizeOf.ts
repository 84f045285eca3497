/**
 * Memory of values in JavaScriptCore, bytes: the growth of the resident memory of a process for each of many such values,
 * measured after a garbage collection (Bun 1.4.5, 64 bits). An object has `object` and a `member` for each of its members,
 * which includes a number; a string has `text` and one or two bytes for each character.
 */
const object = 48
const member = 8
const text = 60
const bigint = 64
/** A map or a set, and each of its entries without key and value. */
const map = { object: 64, entry: 48 }

/** Deeper values are not counted, so counting a cyclic object ends too. */
const maxDepth = 16

/** A string with other characters has two bytes for each. */
const isLatin1 = /^[\0-\u00ff]*$/

/** Approximate memory of a value in bytes, with its members. A value that is referenced twice counts twice. */
export const sizeOf = (value: unknown, depth = 0): number => {
  switch (typeof value) {
    case "string":
      return text + (isLatin1.test(value) ? value.length : 2 * value.length)
    case "bigint":
      return bigint
    case "object":
      return value === null || depth === maxDepth ? member : sizeOfObject(value, depth + 1)
    default:
      return member
  }
}

const sizeOfObject = (value: object, depth: number): number => {
  if (ArrayBuffer.isView(value)) return object + value.byteLength
  let sum = object
  if (Array.isArray(value)) for (const item of value) sum += member + sizeOf(item, depth)
  else if (value instanceof Map) {
    sum = map.object
    for (const [key, item] of value) sum += map.entry + sizeOf(key, depth) + sizeOf(item, depth)
  } else if (value instanceof Set) {
    sum = map.object
    for (const item of value) sum += map.entry + sizeOf(item, depth)
  }
  // Reading the stack of an error would create its text.
  else if (!(value instanceof Error)) for (const item of Object.values(value)) sum += member + sizeOf(item, depth)
  return sum
}
