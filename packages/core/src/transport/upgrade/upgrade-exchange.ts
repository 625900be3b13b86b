import type { UpgradeHandler, UpgradeOffer } from "../../exchange/upgrade.ts";
import { fieldValue } from "../../http/field-values.ts";
import { FastExchange, type FastExchangeConnection } from "../fast/fast-exchange.ts";
import type { RequestHead } from "../wire/request-head.ts";

/** A request to upgrade its connection, and its reply. */
export class UpgradeExchange extends FastExchange {
  readonly upgrade: UpgradeOffer = { accept: (begin) => void (this.begin = begin) };
  private begin: UpgradeHandler | null = null;

  constructor(connection: FastExchangeConnection, { target, authority, fields }: RequestHead) {
    const get = (name: string): string | null => fieldValue(fields, name);
    const given = { authority, isPlain: false, get, toList: () => fields };
    super(connection, "GET", target, given, Buffer.alloc(0), 0, 0);
  }

  /** The function that takes the connection; `null` unless the app accepted and its reply is a 101. */
  get accepted(): UpgradeHandler | null {
    try {
      return this.reply?.status === 101 ? this.begin : null;
    } catch {
      return null; // the status is a getter that threw; the reply writer logs it
    }
  }
}
