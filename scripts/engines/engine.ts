/** A JavaScript engine that calls a service through the client. */
export interface Engine {
  readonly name: string
  /** Starts the engine; throws if it cannot be started. */
  readonly version: () => string | Promise<string>
  /** Returns the number of balances that the trial read; throws if a check fails. */
  readonly run: (url: string) => string | Promise<string>
}
