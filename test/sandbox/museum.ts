/** A rare form that a recorded answer or a document has, and the museum whose simulated answers have it too. */
export interface MuseumCase {
  readonly case: string
  /** Path of the recording in a folder of recordings; for a form without a recording, address of the provider's document. */
  readonly fixture: string
  readonly network: string
  /** Canonical address of the museum. */
  readonly address: string
  /** Is found in the text of the simulated answer, and of the recorded one. */
  readonly shows: RegExp
}
