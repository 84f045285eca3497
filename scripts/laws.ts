// Lies to the service over the sandbox, one datum at a time, and checks its laws: see test/laws.
// Options: --network --route --law --seed --minutes; --lies ends the run after a number of lies; --trial repeats one
// lie, `place|change`.
import { parseArgs } from "node:util"
import { report } from "../test/laws/report.ts"

const { values } = parseArgs({
  options: {
    network: { type: "string" },
    route: { type: "string" },
    law: { type: "string" },
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "4" },
    lies: { type: "string", default: "1000000" },
    trial: { type: "string" }
  }
})
process.exitCode = await report(values, (line) => console.log(line))
process.exit()
