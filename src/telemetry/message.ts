import * as Inspectable from "effect/Inspectable"
import * as Logger from "effect/Logger"

const text = (part: unknown): string => {
  if (typeof part === "string") return part
  return part instanceof Error ? part.message : Inspectable.toStringUnknown(part, 0)
}

/**
 * The message of a line as one text, whatever was logged: the parts in their order with a colon between them, of an error
 * its message. A store of logs finds one type in the field.
 */
export const messageOf = (message: unknown): string =>
  Array.isArray(message) ? message.map(text).join(": ") : text(message)

/** The logger with such messages. */
export const plain = <A>(logger: Logger.Logger<unknown, A>): Logger.Logger<unknown, A> =>
  Logger.make((options) => logger.log({ ...options, message: [messageOf(options.message)] }))
