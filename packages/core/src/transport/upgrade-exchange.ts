import { FastExchange, type FastExchangeConnection } from "./fast-exchange.ts";
import type { RequestHead } from "./request-head.ts";
import { RequestDoor } from "./upgrade-door.ts";

/** A request for another protocol, and its answer. */
export class UpgradeExchange extends FastExchange {
  readonly upgrade: RequestDoor = new RequestDoor();

  constructor(connection: FastExchangeConnection, { target, authority, fields }: RequestHead) {
    let lines = "";
    for (let at = 0; at + 1 < fields.length; at += 2) lines += `${fields[at]}: ${fields[at + 1]}\r\n`;
    const bytes = Buffer.from(lines, "latin1");
    super(connection, "GET", target, authority, bytes, 0, bytes.length, null);
  }

  /** What is to be called with the connection, when the app's answer is to give it away. */
  get accepted(): RequestDoor["begin"] {
    try {
      return this.reply?.status === 101 ? this.upgrade.begin : null;
    } catch {
      return null; // a reply that cannot be read is refused where it would be written
    }
  }
}
