import { fieldValue } from "../request/request-headers.ts";
import { FastExchange, type FastExchangeConnection } from "./fast-exchange.ts";
import type { RequestHead } from "./request-head.ts";
import { RequestDoor } from "./upgrade-door.ts";

/** A request for another protocol, and its answer. */
export class UpgradeExchange extends FastExchange {
  readonly upgrade: RequestDoor = new RequestDoor();

  constructor(connection: FastExchangeConnection, { target, authority, fields }: RequestHead) {
    const given = { authority, get: (name: string) => fieldValue(fields, name), toList: () => fields };
    super(connection, "GET", target, given, null);
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
