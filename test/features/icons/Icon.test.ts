import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import { CoinId } from "../../../src/domain/CoinId.ts"
import { iconOf, maxIconBytes } from "../../../src/features/icons/Icon.ts"
import { placeholder } from "../../../src/features/icons/Icons.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const typeOf = (bytes: Uint8Array | string) =>
  Option.getOrUndefined(Option.map(iconOf(Buffer.from(bytes)), ({ type }) => type))

const chunk = (name: string, data: Buffer) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  return Buffer.concat([length, Buffer.from(name), data, Buffer.alloc(4)])
}

const header = (width: number, height: number) => {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  return data
}

const signature = Buffer.from("89504e470d0a1a0a", "hex")
const end = chunk("IEND", Buffer.alloc(0))
const pngOf = (width: number, height: number) =>
  Buffer.concat([signature, chunk("IHDR", header(width, height)), chunk("IDAT", Buffer.alloc(9)), end])
const png = pngOf(64, 64)

const webpOf = (body: Buffer, length = body.length + 4) => {
  const size = Buffer.alloc(4)
  size.writeUInt32LE(length)
  return Buffer.concat([Buffer.from("RIFF"), size, Buffer.from("WEBP"), body])
}
const webp = webpOf(Buffer.concat([Buffer.from("VP8 "), Buffer.alloc(20)]))

const jpeg = Buffer.concat([Buffer.from("ffd8ffe0", "hex"), Buffer.alloc(20), Buffer.from("ffd9", "hex")])

const svgOf = (inside: string, attributes = "") =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"${attributes}>${inside}</svg>`

const page = "<html><script>alert(1)</script></html>"

describe("the type of an icon", () => {
  it("follows from its bytes", () => {
    assert.strictEqual(typeOf(png), "image/png")
    assert.strictEqual(typeOf(webp), "image/webp")
    for (const kind of ["VP8L", "VP8X"])
      assert.strictEqual(typeOf(webpOf(Buffer.concat([Buffer.from(kind), Buffer.alloc(20)]))), "image/webp")
    assert.strictEqual(typeOf(jpeg), "image/jpeg")
    assert.strictEqual(typeOf(svgOf('<path d="M0 0h8v8z"/>')), "image/svg+xml")
  })

  it("is unknown for other formats, for damaged images and for data after the end of an image", () => {
    const others: Readonly<Record<string, Uint8Array | string>> = {
      nothing: "",
      page,
      gif: Buffer.concat([Buffer.from("GIF89a"), Buffer.alloc(40)]),
      pdf: "%PDF-1.7 and more text after that",
      script: "alert(1)",
      "compressed SVG": Buffer.from("1f8b0800000000000003", "hex"),
      "PNG without its end": png.subarray(0, png.length - 1),
      "PNG with a page after it": Buffer.concat([png, Buffer.from(page)]),
      "PNG with data in its end": Buffer.concat([
        signature,
        chunk("IHDR", header(1, 1)),
        chunk("IEND", Buffer.from(page))
      ]),
      "PNG with another first chunk": Buffer.concat([signature, chunk("tEXt", header(1, 1)), end]),
      "PNG with a short header": Buffer.concat([signature, chunk("IHDR", Buffer.alloc(12)), end, Buffer.alloc(9)]),
      "PNG with a chunk beyond its end": Buffer.concat([
        signature,
        chunk("IHDR", header(1, 1)),
        Buffer.from("ffffffff49444154", "hex"),
        end
      ]),
      "PNG of no width": pngOf(0, 8),
      "PNG of no height": pngOf(8, 0),
      "very wide PNG": pngOf(4_097, 1),
      "very high PNG": pngOf(1, 4_097),
      "WebP with a page after it": Buffer.concat([webp, Buffer.from(page)]),
      "WebP of another length": webpOf(Buffer.concat([Buffer.from("VP8 "), Buffer.alloc(20)]), 99),
      "sound in a RIFF container": Buffer.concat([
        Buffer.from("RIFF"),
        Buffer.from("18000000", "hex"),
        Buffer.from("WAVEfmt "),
        Buffer.alloc(16)
      ]),
      "short WebP": webp.subarray(0, 12),
      "JPEG with a page after it": Buffer.concat([jpeg, Buffer.from(page)]),
      "short JPEG": Buffer.from("ffd8ffd9", "hex"),
      "SVG that is not UTF-8": Buffer.concat([Buffer.from(svgOf("")), Buffer.from("ff", "hex")]),
      "too large": Buffer.concat([
        signature,
        chunk("IHDR", header(1, 1)),
        chunk("IDAT", Buffer.alloc(maxIconBytes)),
        end
      ])
    }
    assert.deepStrictEqual(
      Object.entries(others).flatMap(([name, bytes]) => (typeOf(bytes) === undefined ? [] : [name])),
      []
    )
    assert.strictEqual(typeOf(pngOf(4_096, 4_096)), "image/png")
    const rest = maxIconBytes - png.length
    const largest = Buffer.concat([signature, chunk("IHDR", header(1, 1)), chunk("IDAT", Buffer.alloc(9 + rest)), end])
    assert.strictEqual(largest.length, maxIconBytes)
    assert.strictEqual(typeOf(largest), "image/png")
  })

  it("cannot be confused by random damage", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.constantFrom(png, webp, jpeg),
        FastCheck.nat({ max: 40 }),
        FastCheck.uint8Array({ maxLength: 12 }),
        (image, at, bytes) => {
          const damaged = Buffer.concat([image.subarray(0, at), bytes, image.subarray(at)])
          // Does not throw, and no damaged image becomes an image of another kind.
          const type = typeOf(damaged)
          assert.isTrue(type === undefined || type === typeOf(image))
        }
      )
    )
  })
})

describe("an SVG icon", () => {
  const accepted: Readonly<Record<string, string>> = {
    shapes: svgOf(
      '<g fill="#fff" transform="rotate(8 1 2)"><circle cx="4" cy="4" r="3"/><rect width=\'1\' height="2"/></g>'
    ),
    "a declaration and comments": `<?xml version="1.0" encoding="UTF-8"?>\n<!-- a > b -->\n${svgOf("<!-- <script> --><path d='M0'/>")}\n`,
    "a byte order mark": `\uFEFF${svgOf("")}`,
    "a gradient and a clip": svgOf(
      '<defs><linearGradient id="a"><stop offset="0" stop-color="red"/></linearGradient><clipPath id="c"><rect/></clipPath></defs><path fill="url(#a)" clip-path="url(#c)" d="M0"/>'
    ),
    "a gradient of another": svgOf(
      '<linearGradient id="a"/><linearGradient id="b" xlink:href="#a"/>',
      ' xmlns:xlink="http://www.w3.org/1999/xlink"'
    ),
    "text and entities": svgOf("<title>A &amp; B</title><text x='1'>BTC</text>"),
    "attributes of an editor": svgOf(
      '<path inkscape:label="a" d="M0"/>',
      ' xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"'
    ),
    "styles of an element": svgOf('<path style="fill:#fff;stroke:none" d="M0"/>'),
    "many elements": svgOf("<g/>".repeat(1_998)),
    "nothing inside": '<svg xmlns="http://www.w3.org/2000/svg"/>'
  }

  const rejected: Readonly<Record<string, string>> = {
    "a script": svgOf("<script>alert(1)</script>"),
    "an empty script": svgOf('<script href="#a"/>'),
    "a script in a namespace": svgOf("<svg:script>alert(1)</svg:script>"),
    "a script in other letters": svgOf("<SCRIPT>alert(1)</SCRIPT>"),
    "a script in a comment that browsers end early": svgOf("<!--><script>alert(1)</script>-->"),
    "an event handler": svgOf("", ' onload="alert(1)"'),
    "an event handler in other letters": svgOf("", ' ONLOAD="alert(1)"'),
    "an event handler after a line break": svgOf("", '\nonload\n=\n"alert(1)"'),
    "an event handler after a slash": svgOf('<path/onload="alert(1)"/>'),
    "an event handler without quotes": svgOf("<path onload=alert(1)/>"),
    "foreign objects": svgOf("<foreignObject><body>a</body></foreignObject>"),
    "a page": page,
    "an image": svgOf('<image href="https://example.com/a.png"/>'),
    "an embedded image": svgOf('<image href="data:image/png;base64,AAAA"/>'),
    "a link": svgOf('<a href="https://example.com"><path d="M0"/></a>'),
    "a link of a gradient": svgOf('<linearGradient href="https://example.com/a.svg#b"/>'),
    "a relative link": svgOf('<linearGradient href="a.svg#b"/>'),
    "a link in a namespace": svgOf('<linearGradient xlink:href="javascript:alert(1)"/>'),
    "a repeated element": svgOf('<g id="a"/><use href="#a"/>'),
    "an animation": svgOf('<animate attributeName="href" to="javascript:alert(1)"/>'),
    "an assignment": svgOf('<set attributeName="onload" to="alert(1)"/>'),
    "a filter": svgOf("<filter><feImage/></filter>"),
    "a style sheet": svgOf("<style>@import 'https://example.com/a.css'</style>"),
    "a style with an address": svgOf('<path style="fill:url(https://example.com/a)"/>'),
    "a style with a relative address": svgOf('<path style="fill:url(a.svg#b)"/>'),
    "a style with an address in quotes": svgOf(`<path style="fill:url('//example.com/a')"/>`),
    "a style with escapes": svgOf('<path style="fill:u\\72l(a)"/>'),
    "a fill with an address": svgOf('<path fill="url(//example.com/a)"/>'),
    "an image set": svgOf('<path style="background:image-set(a)"/>'),
    "an attribute with entities": svgOf('<path fill="&#117;rl(a)"/>'),
    "an attribute with markup": svgOf('<path d="<script>"/>'),
    "a style sheet instruction": `<?xml-stylesheet href="a.css"?>${svgOf("")}`,
    "a later instruction": svgOf("<?php echo 1 ?>"),
    "a document type": `<!DOCTYPE svg>${svgOf("")}`,
    entities: `<!DOCTYPE svg [<!ENTITY a "aaaa">]>${svgOf("&a;")}`,
    "an undefined entity": svgOf("<text>&a;</text>"),
    "a character reference": svgOf("<text>&#60;</text>"),
    "unescaped character data": svgOf("<text><![CDATA[<script>]]></text>"),
    "elements of another format": svgOf('<g xmlns="http://www.w3.org/1999/xhtml"><title>a</title></g>'),
    "a base address": svgOf("", ' xml:base="https://example.com/"'),
    "two roots": svgOf("") + svgOf(""),
    "text after the root": `${svgOf("")}text`,
    "a script after the root": `${svgOf("")}<script>alert(1)</script>`,
    "text before the root": `text${svgOf("")}`,
    "an open element": '<svg xmlns="http://www.w3.org/2000/svg"><g></svg>',
    "no end": '<svg xmlns="http://www.w3.org/2000/svg">',
    "elements that overlap": svgOf("<g><text></g></text>"),
    "an end tag with attributes": svgOf('<g></g onload="a">'),
    "a tag without an end": svgOf("<path"),
    "too many elements": svgOf("<g/>".repeat(1_999)),
    "too much text": svgOf(`<desc>${"a".repeat(70_000)}</desc>`)
  }

  it("is accepted if it consists of harmless elements", () => {
    assert.deepStrictEqual(
      Object.entries(accepted).flatMap(([name, svg]) => (typeOf(svg) === "image/svg+xml" ? [] : [name])),
      []
    )
  })

  it("is rejected if it could run or load something, or is malformed", () => {
    assert.deepStrictEqual(
      Object.entries(rejected).flatMap(([name, svg]) => (typeOf(svg) === undefined ? [] : [name])),
      []
    )
  })

  it("is read in a time that grows with its length, also if it is hostile", () => {
    const size = 60_000
    for (const part of [" ", "<", "<g ", "<!--", "-", "<g a='' ", "&amp;", "&", "<g a", "a='' ", "\n"])
      for (const start of ["<svg", "<svg>", "", "<?xml ", "<svg a='", "<!--"])
        assert.isUndefined(typeOf(start + part.repeat(size / part.length)))
  })

  it("is drawn for every coin id", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ minLength: 1, unit: "binary" }), (text) => {
        const { bytes, type } = placeholder(CoinId.make(text, { disableValidation: true }))
        assert.strictEqual(typeOf(bytes), type)
      })
    )
  })
})
