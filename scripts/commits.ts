// Checks the subjects of the newest commits: imperative, at most 72 characters. Does nothing in a copy without history.

const checked = 20
const maxLength = 72

/** First words that are no verb, or a verb in another form. */
const notImperative = /^(?:the|an?|what|docs?|wip)$|(?:[^aeious]ed|ing|[^su]s|:)$/i

/** Verbs that end like other forms. */
const verbs = ["bring", "bypass", "embed", "feed", "need", "process", "seed", "shed", "speed"]

const faultOf = (subject: string): string | undefined => {
  const [first = ""] = subject.split(" ")
  if (subject.length > maxLength) return `has ${subject.length} characters, at most ${maxLength} are allowed`
  if (notImperative.test(first) && !verbs.includes(first.toLowerCase())) return "does not start with an imperative verb"
  return undefined
}

const { stdout } = Bun.spawnSync(["git", "log", "--no-merges", `-${checked}`, "--format=%s"], { stderr: "ignore" })
const faults = stdout
  .toString()
  .split("\n")
  .flatMap((subject) => {
    const fault = subject === "" ? undefined : faultOf(subject)
    return fault === undefined ? [] : [`commit "${subject}" ${fault}`]
  })
for (const fault of faults) console.error(fault)
process.exit(faults.length > 0 ? 1 : 0)
