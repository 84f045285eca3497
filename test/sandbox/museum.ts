/** A rare form that a recorded answer has, and the museum whose simulated answers have it too. */
export interface MuseumCase {
  readonly case: string
  /** Path of the recording in the folder of recordings. */
  readonly fixture: string
  readonly network: string
  /** Canonical address of the museum. */
  readonly address: string
}
