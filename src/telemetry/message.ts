import * as Inspectable from "effect/Inspectable"
import * as Logger from "effect/Logger"

const text = (part: unknown): string => {
  if (typeof part === "string") return part
  return part instanceof Error ? part.message : Inspectable.toStringUnknown(part, 0)
}

/**
 * The message of a log entry as one text: the parts in order, joined by colons; errors by their message. So the field
 * always has one type in a log store.
 */
export const messageOf = (message: unknown): string =>
  Array.isArray(message) ? message.map(text).join(": ") : text(message)

/** A logger that converts messages by {@link messageOf}. */
export const plain = <A>(logger: Logger.Logger<unknown, A>): Logger.Logger<unknown, A> =>
  Logger.make((options) => logger.log({ ...options, message: [messageOf(options.message)] }))
