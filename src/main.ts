import { startAgain } from "./settings/runtime.ts"
import { remember } from "./settings/signals.ts"

const words = process.argv.slice(2)
const [command = "serve"] = words

// Before anything else is loaded, because all of it would be loaded twice.
if (command === "serve" || command.startsWith("-")) startAgain(words)

remember()

void import("./cli/main.ts")
