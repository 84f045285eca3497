/** Colours of the page, from src/page/style/tokens.css, on light and dark screens. */
export const colours = {
  ground: ["#f5f6f8", "#0d1015"],
  surface: ["#ffffff", "#161a21"],
  line: ["#dfe3ea", "#2a313c"],
  ink: ["#12161d", "#eef1f6"],
  "ink-soft": ["#525b6a", "#a3adbc"],
  accent: ["#2346c8", "#9db5ff"],
  up: ["#0b6b3a", "#63d297"]
} as const

const variables = Object.entries(colours).map(([name, [light, dark]]) => `--${name}:light-dark(${light},${dark})`)

export const style = `
:root{color-scheme:light dark;${variables.join(";")};--code:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
a{color:var(--accent)}
code,pre,.type,textarea,input{font-family:var(--code);font-size:13px}
.site{position:sticky;top:0;z-index:1;display:flex;gap:1rem;align-items:center;height:3rem;padding:0 1rem;background:var(--surface);border-bottom:1px solid var(--line);overflow-x:auto;white-space:nowrap}
.contents{padding:1rem}
.contents ul{margin:0;padding-left:1rem;list-style:none}
.contents a{display:block;padding:.125rem 0}
.contents p{margin:.75rem 0 .25rem;font-weight:600}
main{padding:1rem;min-width:0}
section{margin:1.5rem 0;padding:1rem;background:var(--surface);border:1px solid var(--line);border-radius:.75rem;overflow-wrap:anywhere}
h2,section{scroll-margin-top:4rem}
h3{margin:0 0 .5rem}
h4{margin:1rem 0 .5rem}
ul{padding-left:1.25rem}
dl{margin:0;padding-left:.75rem;border-left:2px solid var(--line)}
dd{margin:0 0 .75rem}
dd p{margin:.125rem 0}
.type,.must,figcaption{color:var(--ink-soft)}
.must{font-size:12px}
.GET{color:var(--up)}
.POST{color:var(--accent)}
figure{margin:.5rem 0}
figcaption{display:flex;justify-content:space-between;align-items:center;font-size:13px}
pre,output{margin:.25rem 0;padding:.75rem;background:var(--ground);border:1px solid var(--line);border-radius:.5rem;overflow:auto;max-height:30rem}
output{display:block;white-space:pre-wrap;font:13px/1.4 var(--code)}
output:empty{display:none}
button,input,textarea{padding:.375rem .625rem;color:inherit;background:var(--surface);border:1px solid var(--ink-soft);border-radius:.5rem}
button{font:inherit;font-size:13px;cursor:pointer}
input,textarea{width:100%}
label{display:block;margin:.5rem 0}
@media (min-width:64rem){
body{display:grid;grid-template-columns:17rem minmax(0,1fr)}
.site{grid-column:1/-1}
.contents{position:sticky;top:3rem;height:calc(100vh - 3rem);overflow:auto;border-right:1px solid var(--line)}
.columns{display:grid;grid-template-columns:minmax(0,3fr) minmax(0,2fr);gap:1.5rem}
}
`
