/** Colours of the page in the reference, for light and dark screens: those of src/page/style/tokens.css. */
export const colours = {
  ground: ["#f6f7f9", "#101318"],
  surface: ["#ffffff", "#181c23"],
  line: ["#d5dae2", "#323945"],
  ink: ["#171b22", "#e9ecf1"],
  "ink-soft": ["#515966", "#a9b2c0"],
  accent: ["#1f4fd1", "#8fb0ff"],
  up: ["#10652f", "#6fd694"],
  down: ["#a1241b", "#ff9c92"],
  warning: ["#7a4a00", "#f2c166"]
} as const

/** The variables of the program that shows the reference, by the colours that they get. */
const uses: ReadonlyArray<readonly [variable: string, colour: keyof typeof colours]> = [
  ["background-1", "surface"],
  ["background-2", "ground"],
  ["background-3", "line"],
  ["border-color", "line"],
  ["color-1", "ink"],
  ["color-2", "ink-soft"],
  ["color-3", "ink-soft"],
  ["color-accent", "accent"],
  // Of methods and statuses: its own are too light to be read by everybody.
  ["color-blue", "accent"],
  ["color-green", "up"],
  ["color-red", "down"],
  ["color-orange", "warning"],
  ["color-yellow", "warning"]
]

const rule = (selector: string, screen: 0 | 1) =>
  `${selector}{${uses.map(([variable, colour]) => `--scalar-${variable}:${colours[colour][screen]}`).join(";")}}`

const fonts =
  '--scalar-font:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;--scalar-font-code:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace'

const style = [
  `:root{--scalar-custom-header-height:3rem;${fonts}}`,
  rule("body,.light-mode", 0),
  rule(".dark-mode", 1),
  "body{margin:0}",
  // On a phone parts of the reference are wider than the screen.
  ".references-rendered{overflow-x:clip}",
  ".site{position:sticky;top:0;z-index:10;box-sizing:border-box;display:flex;gap:1rem;align-items:center;height:3rem;padding:0 1rem;background:var(--scalar-background-1);border-bottom:1px solid var(--scalar-border-color);color:var(--scalar-color-1);font:1rem/1.5 var(--scalar-font)}",
  ".site a{color:var(--scalar-color-accent)}",
  ".site .name{color:inherit;font-weight:700;text-decoration:none}"
].join("\n")

/** Not a `header`: the reference has one of its own. */
const header = (hasPage: boolean) =>
  hasPage
    ? '<nav class="site" aria-label="Views"><a class="name" href="/">wallet-data</a><a href="/">Portfolio</a><a href="/#/status">Status</a></nav>'
    : '<div class="site"><span class="name">wallet-data</span></div>'

/** The reference with the look of the page, and the way back to it where there is one. */
export const framed = (html: string, hasPage: boolean): string =>
  html
    .replace(/<html>/, '<html lang="en">')
    .replace(/<body[^>]*>/, (body) => `${body}<style>${style}</style>${header(hasPage)}`)
