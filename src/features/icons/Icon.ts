import * as Option from "effect/Option"
import { tryOrElse } from "../../kernel/tryOrElse.ts"
import { isSafeSvg } from "./safeSvg.ts"

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
