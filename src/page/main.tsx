import { render } from "preact"
import { App } from "./App.tsx"
import { watchFields } from "./state/watchFields.ts"
import { language, loadTexts } from "./text/language.ts"

await loadTexts()
document.documentElement.lang = language
watchFields()
const root = document.getElementById("app")
if (root !== null) render(<App />, root)
