import type { ConnectionHub } from "../hub/connection-hub.ts";
import type { FastExchange } from "./fast-exchange.ts";

/** The exchanges of one connection whose answers are not out, in the order of their requests. */
export class FastPipeline {
  first: FastExchange | null = null;
  last: FastExchange | null = null;
  /** The first that is not wholly written. */
  unsent: FastExchange | null = null;
  /** Number of those that are not wholly written. */
  active = 0;
  private readonly hub: ConnectionHub;

  constructor(hub: ConnectionHub) {
    this.hub = hub;
  }

  append(exchange: FastExchange): void {
    if (this.last === null) this.first = exchange;
    else this.last.next = exchange;
    this.last = exchange;
    this.unsent ??= exchange;
    this.active++;
  }

  /** Takes in an exchange, in front of which there is none, whose answer is written though not out. */
  appendWritten(exchange: FastExchange): void {
    this.first = exchange;
    this.last = exchange;
  }

  /** The answer of the first unsent exchange is written. */
  replyWritten(exchange: FastExchange): void {
    this.active--;
    this.unsent = exchange.next;
  }

  /** The answers in front of an exchange, or all, are out; tells whether one of them was the connection's last. */
  finishBefore(limit: FastExchange | null): boolean {
    while (this.first !== null && this.first !== limit) {
      const exchange = this.first;
      this.first = exchange.next;
      if (this.first === null) this.last = null;
      this.hub.inFlight--;
      exchange.finish("sent");
      if (exchange.last) return true;
    }
    return false;
  }

  /** Gives up an exchange and all behind it. */
  abortFrom(start: FastExchange): void {
    this.unsent = null;
    if (start === this.first) this.first = this.last = null;
    else {
      let before = this.first;
      while (before !== null && before.next !== start) before = before.next;
      if (before !== null) before.next = null;
      this.last = before;
    }
    for (let exchange: FastExchange | null = start; exchange !== null; exchange = exchange.next) {
      this.hub.inFlight--;
      exchange.finish("aborted");
    }
  }
}
