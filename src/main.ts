import { startAgain } from "./settings/runtime.ts"

const words = process.argv.slice(2)
const [command = "serve"] = words

// Before anything else is loaded, because all of it would be loaded twice.
if (command === "serve" || command.startsWith("-")) startAgain(words)

void import("./cli/main.ts")
