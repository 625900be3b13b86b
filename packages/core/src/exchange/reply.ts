import type { Payload } from "./payload.ts";

/**
 * A reply as a transport writes it; every `Response` of the framework is one.
 *
 * A transport reads it when it is handed over, once or more, and keeps no reference after the exchange has ended. A member that throws, and a value
 * outside its contract, make the reply a plain 500 and one line in the log.
 */
export interface Reply {
  /** A final status, 200 to 599; or 101 for a request whose upgrade offer was accepted. */
  readonly status: number;
  /** The body. It is not sent for HEAD, 204, 205 and 304; a stream is cancelled then. */
  readonly payload: Payload;
  /**
   * Header lines: name, value, name, value …
   *
   * Without the fields that the transport decides: framing and `connection`; it drops them, except that `connection: close` closes, a 426 keeps
   * its `upgrade`, and a reply to HEAD whose payload is `null` its `content-length`. It adds `date`, unless there is a valid one. Names may have any case. The transport checks every name and value before it writes the first byte.
   *
   * The transport reads the list while it writes the head, and does not change it. A frozen list (`Object.isFrozen`) can never change, so a
   * transport may keep what it made of one and recognise it by identity in later replies; a list that is not frozen it reads each time.
   */
  fields(): readonly string[];
}
