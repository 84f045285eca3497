// Code for the browser that measures the layout of the page by bounding boxes.

/** Returns texts that are cut off, broken into letters, outside of the screen or over another text. Texts in scrolling boxes may be outside. */
export const layoutFaults = `(() => {
  const faults = []
  const width = document.documentElement.clientWidth
  if (document.documentElement.scrollWidth > width) faults.push("the page is wider than the screen: " + document.documentElement.scrollWidth)
  const styles = new Map()
  const styleOf = (element) => styles.get(element) ?? (styles.set(element, getComputedStyle(element)), styles.get(element))
  const boxes = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  text: for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.textContent.trim()
    const parent = node.parentElement
    if (text === "" || parent.closest("script, noscript, .only-read, .skip, option, datalist, .skeleton, [popover]") !== null) continue
    if (!parent.checkVisibility()) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const rects = [...range.getClientRects()].filter((rect) => rect.width > 1 && rect.height > 1)
    if (rects.length === 0) continue
    if (rects.length > 3 && rects.every((rect) => rect.width < 20)) faults.push("broken into letters: " + text.slice(0, 60))
    let isScrolled = false
    let layer = ""
    for (let element = parent; element !== document.body; element = element.parentElement) {
      const { clipPath, overflowX, position } = styleOf(element)
      // Visible to screen readers only.
      if (clipPath !== "none") continue text
      if (position === "fixed" || position === "sticky") layer = element.className
      if (overflowX === "auto" || overflowX === "scroll") isScrolled = true
      if (isScrolled || overflowX === "visible") continue
      const edge = element.getBoundingClientRect()
      if (rects.some((rect) => rect.right > edge.right + 1 || rect.left < edge.left - 1)) faults.push("cut off: " + text.slice(0, 60))
    }
    if (isScrolled) continue
    if (rects.some((rect) => rect.right > width + 1 || rect.left < -1)) faults.push("outside: " + text.slice(0, 60))
    for (const rect of rects) boxes.push({ text, rect, layer })
  }
  boxes.sort((a, b) => a.rect.top - b.rect.top)
  boxes.forEach((a, index) => {
    for (const b of boxes.slice(index + 1)) {
      if (b.rect.top >= a.rect.bottom - 3) break
      if (a.layer !== b.layer || a.text === b.text) continue
      const across = Math.min(a.rect.right, b.rect.right) - Math.max(a.rect.left, b.rect.left)
      if (across > 2) faults.push("over each other: " + a.text.slice(0, 40) + " / " + b.text.slice(0, 40))
    }
  })
  return [...new Set(faults)]
})()`

/** Returns the sum of the layout shifts without input since this time of the document, and elements that moved. */
export const layoutShift = (since: number) => `new Promise((resolve) => {
  let sum = 0
  const moved = new Set()
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput && entry.startTime >= ${since}) {
      sum += entry.value
      for (const { node } of entry.sources) moved.add(node?.className || node?.nodeName)
    }
  })
  observer.observe({ type: "layout-shift", buffered: true })
  setTimeout(() => resolve({ sum, moved: [...moved].slice(0, 8) }), 50)
})`
