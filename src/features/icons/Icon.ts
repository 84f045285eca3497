import * as Option from "effect/Option"
import { tryOrElse } from "../../kernel/tryOrElse.ts"

/** Maximum length of an SVG, characters, and number of its tags. */
const maxLength = 64 * 1024
const maxTags = 2_000

/**
 * Allowed elements: shapes, text, gradients and clips. Not allowed are elements that run or load something, that embed
 * other formats, and that repeat other elements, which may take very long to draw.
 */
const elements: ReadonlySet<string> = new Set([
  "svg",
  "g",
  "defs",
  "title",
  "desc",
  "path",
  "circle",
  "ellipse",
  "rect",
  "line",
  "polyline",
  "polygon",
  "text",
  "tspan",
  "linearGradient",
  "radialGradient",
  "stop",
  "clipPath",
  "mask"
])

/** A start or end tag with quoted attributes. Attributes must not contain markup or entities. */
const tag = /^<(\/?)([A-Za-z]+)((?:\s+[A-Za-z][\w:.-]*\s*=\s*(?:"[^"<>&\\]*"|'[^'<>&\\]*'))*)\s*\/?>/

const attribute = /([A-Za-z][\w:.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

const svgNamespace = "http://www.w3.org/2000/svg"

/** True if an attribute is no event handler and no link, and declares no other format for the elements. */
const isSafeAttribute = (name: string, value: string): boolean => {
  if (name === "xmlns") return value === svgNamespace
  // Elements with a prefix are not allowed, so its namespace does not matter.
  if (name.startsWith("xmlns:")) return true
  if (/^on/i.test(name)) return false
  // A reference to a part of the same document is the only allowed link.
  if (/(^|:)(href|src|base)$/i.test(name)) return /^#[\w.-]+$/.test(value)
  return !/\/\/|javascript|data:|@|expression|image-set|url\((?!\s*['"]?#)/i.test(value)
}

/** What may stand before the first tag: a declaration, comments and white space. */
const prolog = /^(?:<\?xml\s[^<>?]*\?>)?(?:\s|<!--(?!-?>)(?:(?!--)[\s\S])*-->)*(?=<svg[\s>/])/

/** XML and HTML end comments differently; this one ends at the same place in both. */
const comment = /^<!--(?!-?>)(?:(?!--)[\s\S])*-->/

/** Text between tags: no markup, and only the predefined entities. */
const characters = /^(?:[^<>&]|&(?:amp|lt|gt|quot|apos);)+/

/**
 * True for an SVG of allowed elements that runs no script, loads nothing and has no document type. Rejects more than
 * necessary, because a browser may read the same text differently.
 */
const isSafeSvg = (document: string): boolean => {
  const text = document.trim()
  const start = text.length > maxLength ? undefined : prolog.exec(text)?.[0].length
  if (start === undefined) return false
  let rest = text.slice(start)
  let tags = 0
  const open: Array<string> = []
  do {
    const found = tag.exec(rest)
    if (found === null) {
      const skipped = (comment.exec(rest) ?? characters.exec(rest))?.[0].length
      if (skipped === undefined) return false
      rest = rest.slice(skipped)
      continue
    }
    const [whole, closing, name = "", attributes = ""] = found
    if (++tags > maxTags || !elements.has(name)) return false
    for (const [, attributeName = "", double, single = ""] of attributes.matchAll(attribute))
      if (!isSafeAttribute(attributeName, double ?? single)) return false
    if (closing === "/") {
      if (open.pop() !== name || attributes !== "") return false
    } else if (!whole.endsWith("/>")) open.push(name)
    rest = rest.slice(whole.length)
  } while (open.length > 0)
  return rest.trim() === ""
}

/** An icon whose bytes have the form of its type. */
export interface Icon {
  readonly type: "image/png" | "image/webp" | "image/jpeg" | "image/svg+xml"
  readonly bytes: Uint8Array
}

/** Maximum size of an icon, bytes. */
export const maxIconBytes = 256 * 1024

/** Maximum width and height of a PNG, pixels: a small file may inflate to a very large image. */
const maxSide = 4_096

/** The icon with these bytes. Its type follows from the bytes alone; none if they are no allowed image. */
export const iconOf = (bytes: Uint8Array): Option.Option<Icon> => {
  if (bytes.length > maxIconBytes) return Option.none()
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const type: Icon["type"] | undefined = isPng(buffer)
    ? "image/png"
    : isWebP(buffer)
      ? "image/webp"
      : isJpeg(buffer)
        ? "image/jpeg"
        : isSvg(buffer)
          ? "image/svg+xml"
          : undefined
  return Option.map(Option.fromNullable(type), (type) => ({ type, bytes }))
}

const pngSignature = Buffer.from("89504e470d0a1a0a", "hex")

/** A signature and chunks: IHDR first, IEND last, and nothing after it. */
const isPng = (bytes: Buffer): boolean => {
  if (bytes.length < 33 || !bytes.subarray(0, 8).equals(pngSignature)) return false
  if (bytes.readUInt32BE(8) !== 13 || bytes.toString("latin1", 12, 16) !== "IHDR") return false
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  if (width === 0 || height === 0 || width > maxSide || height > maxSide) return false
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString("latin1", at + 4, at + 8) === "IEND")
      return bytes.readUInt32BE(at) === 0 && at + 12 === bytes.length
  return false
}

/** A RIFF container of exactly this length. */
const isWebP = (bytes: Buffer): boolean =>
  bytes.length >= 20 &&
  bytes.toString("latin1", 0, 4) === "RIFF" &&
  bytes.readUInt32LE(4) + 8 === bytes.length &&
  /^WEBPVP8[ LX]$/.test(bytes.toString("latin1", 8, 16))

/** From the start of an image to the end of an image. */
const isJpeg = (bytes: Buffer): boolean =>
  bytes.length >= 20 && bytes.readUIntBE(0, 3) === 0xffd8ff && bytes.readUInt16BE(bytes.length - 2) === 0xffd9

const utf8 = new TextDecoder("utf-8", { fatal: true })

const isSvg = (bytes: Buffer): boolean =>
  tryOrElse(
    (text: Buffer) => isSafeSvg(utf8.decode(text)),
    bytes,
    () => false
  )
