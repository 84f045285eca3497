import { startAgain } from "./settings/runtime.ts"
import { remember } from "./settings/signals.ts"

const words = process.argv.slice(2)
const [command = "serve"] = words

// Before anything else is loaded, because all of it would be loaded twice.
if (command === "serve" || command.startsWith("-")) startAgain(words)

const load = () => {
  remember()
  return import("./cli/main.ts")
}

void (command === "health" ? import("./cli/quickHealth.ts").then(({ checked }) => checked(words) || load()) : load())
