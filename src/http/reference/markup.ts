/** A text as HTML. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)

/** A line of the document's Markdown as HTML: code and bold text. */
const inline = (text: string): string =>
  text
    .split(/(`[^`]+`)/)
    .map((part, index) =>
      index % 2 === 1
        ? `<code>${escaped(part.slice(1, -1))}</code>`
        : escaped(part).replace(/\*\*([^*]+)\*\*/g, "<b>$1</b>")
    )
    .join("")

/** A description of the document, whose Markdown has paragraphs, lists, code and bold text, as HTML. */
export const prose = (text: string): string =>
  text
    .split("\n\n")
    .map((block) =>
      block.startsWith("- ")
        ? `<ul>${block
            .split(/^- /m)
            .slice(1)
            .map((line) => `<li>${inline(line.trim())}</li>`)
            .join("")}</ul>`
        : `<p>${inline(block)}</p>`
    )
    .join("")

/** Text for people to copy. */
export const sample = (title: string, text: string): string =>
  `<figure><figcaption>${escaped(title)}</figcaption><pre tabindex="0"><code>${escaped(text)}</code></pre></figure>`
