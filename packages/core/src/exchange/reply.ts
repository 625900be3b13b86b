import type { Payload } from "./payload.ts";

/**
 * A reply as a transport writes it; every `Response` of the framework is one.
 *
 * A transport may read each member several times, and keeps no reference after the exchange has ended. If a member throws or has an invalid value, the
 * client gets a plain 500 and one line is logged.
 */
export interface Reply {
  /** A final status, 200 to 599; or 101 for a request whose upgrade offer was accepted. */
  readonly status: number;
  /** The body. It is not sent for HEAD, 204, 205 and 304; a stream is cancelled then. */
  readonly payload: Payload;
  /**
   * Header lines: name, value, name, value …
   *
   * The transport sets framing and `connection` itself and drops those fields here, except that `connection: close` closes the connection, a 426 keeps its
   * `upgrade`, and a reply to HEAD whose payload is `null` keeps its `content-length`. It adds `date` unless there is a valid one. Names may have any case.
   * Every name and value is checked before the first byte is written.
   *
   * The transport reads the list while it writes the head, and does not change it. A frozen list (`Object.isFrozen`) can never change, so a
   * transport may cache the text derived from it and recognise it by identity in later replies. Any other list is read each time.
   */
  fields(): readonly string[];
}
