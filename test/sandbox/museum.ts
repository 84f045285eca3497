/** A rare form that a recorded answer has, and the museum whose simulated answers have it too. */
export interface MuseumCase {
  readonly case: string
  /** Path of the recording in a folder of recordings. */
  readonly fixture: string
  readonly network: string
  /** Canonical address of the museum. */
  readonly address: string
  /** Is found in the text of both the recorded and the simulated answer. */
  readonly shows: RegExp
}
