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
export const isSafeSvg = (document: string): boolean => {
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
