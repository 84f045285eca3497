import { open, writeSync } from "node:fs"

// Preloaded by a service. At SIGUSR2 it occupies all threads of the runtime, as name servers that do not respond do:
// opening a pipe waits until another process opens it too.
process.on("SIGUSR2", () => {
  for (let count = 0; count < 64; count++) open(process.env.HELD_PIPE ?? "", "r", () => {})
  writeSync(1, "threads are held\n")
})
