import { Failed } from "../parts/Failed.tsx"
import { fragmentOf } from "../state/route.ts"
import { useReading } from "../state/useReading.ts"
import { foreign } from "../text/format.ts"
import type { ViewProps } from "../views.tsx"
import { Fees } from "./Fees.tsx"
import { maxSigning, NetworkForm } from "./NetworkForm.tsx"
import { Signing } from "./Signing.tsx"

/** What transactions cost on a network, and what they are built from. */
export const Network = ({ items: [id = "", ...addresses] }: ViewProps) => {
  const { reading, retry } = useReading("networks", (client, signal) => client.networks({ signal }))
  const networks = reading.state === "read" ? reading.data : []
  const network = networks.find((candidate) => candidate.id === id)
  const signing = addresses.slice(0, maxSigning)
  return (
    <>
      <h1>Network{network !== undefined && `: ${network.name}`}</h1>
      {reading.state === "waiting" && <p>Reading the networks …</p>}
      {reading.state === "failed" && <Failed problem={reading.problem} retry={retry} />}
      {reading.state === "read" && <NetworkForm networks={networks} id={network?.id ?? ""} addresses={signing} />}
      {id !== "" && reading.state === "read" && network === undefined && (
        <p class="problem" role="alert">
          There is no network {foreign(id)}.
        </p>
      )}
      {network !== undefined && (
        <>
          <p>
            <a href={fragmentOf({ view: "status", items: [id] })}>What works on {network.name}</a>
          </p>
          <h2>Fees</h2>
          <Fees network={network} />
          {signing.length > 0 && (
            <>
              <h2>What signing needs</h2>
              <Signing network={network} addresses={signing} />
            </>
          )}
        </>
      )}
    </>
  )
}
